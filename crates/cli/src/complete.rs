//! `meshlens completions` and `meshlens man`, generated from the arguments.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Arguments, Completions, Man};
use crate::errors;
use crate::sink::create_folder;
use crate::status::Status;
use crate::terminal::tell;

const NAME: &str = "meshlens";

/// Writes generated text unescaped, because it contains tabs.
fn print(text: &[u8]) -> io::Result<Status> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(Status::Fine)
}

pub(crate) fn completions(arguments: &Completions) -> io::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut script);
    print(&script)
}

/// The command and its subcommands, with the names of their manual pages.
fn pages() -> Vec<(String, clap::Command)> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let named = subcommands.into_iter().map(|subcommand| {
        let name = format!("{NAME}-{}", subcommand.get_name());
        (name.clone(), subcommand.display_name(name))
    });
    [(NAME.to_owned(), command)].into_iter().chain(named).collect()
}

fn render(command: clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).manual("meshlens manual").render(&mut page)?;
    Ok(page)
}

pub(crate) fn man(arguments: &Man) -> io::Result<Status> {
    let Some(folder) = &arguments.out_dir else {
        let wanted = arguments.command.as_ref().map_or(NAME.into(), |command| format!("{NAME}-{command}"));
        let Some((_, command)) = pages().into_iter().find(|(name, _)| *name == wanted) else {
            let names: Vec<String> =
                pages().iter().filter_map(|(name, _)| Some(name.split_once('-')?.1.to_owned())).collect();
            let unknown = arguments.command.as_deref().unwrap_or_default();
            tell!("no command {unknown}; one of {}", names.join(", "));
            return Ok(Status::Failed);
        };
        return print(&render(command)?);
    };
    for (name, command) in pages() {
        let path = folder.join(format!("{name}.1"));
        let page = render(command)?;
        if let Err(failure) = create_folder(folder) {
            return Ok(failure.tell());
        }
        if let Err(error) = meshlens_source::write_atomic(&path, arguments.force, |out| out.write_all(&page))
        {
            tell!("{}", errors::file(&error));
            return Ok(Status::Failed);
        }
    }
    Ok(Status::Fine)
}
