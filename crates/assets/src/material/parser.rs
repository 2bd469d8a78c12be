//! Parses shader scripts.

use meshlens::Limits;
use meshlens::wire::{Error, ErrorKind, Result, Token, Tokens};

use super::shader::{BlendFactor, ColorGen, FORMAT, MAX_STAGES, Shader, ShaderScript, Stage, StageImage};
use super::words::{alpha_test, cull, image, keep};

impl ShaderScript {
    /// Parses a script.
    ///
    /// Faults do not stop the parser: a missing brace is assumed before the next shader, unknown words are skipped to
    /// the end of their line, and every fault is listed. Words are compared in any case. Lines end in LF or CRLF; the
    /// text is UTF-8 or Latin-1. Lines that start with `q3map_` or `qer_` are for editors and compilers and are
    /// skipped, except `qer_editorimage`.
    ///
    /// # Errors
    ///
    /// The text has more bytes, shaders or stages than [`Limits::DEFAULT`] allows.
    pub fn parse(text: &[u8]) -> Result<Self> {
        Self::parse_with(text, &Limits::DEFAULT)
    }

    /// Parses a script with other limits.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse).
    pub fn parse_with(text: &[u8], limits: &Limits) -> Result<Self> {
        limits.check_text(FORMAT, text.len())?;
        Parser::new(text, limits).script()
    }
}

pub(super) struct Parser<'a> {
    tokens: Tokens<'a>,
    limits: &'a Limits,
    /// A word that was read ahead.
    next: Option<Token<'a>>,
    script: ShaderScript,
    stages: u64,
}

/// The end of a block.
enum End {
    /// A closing brace.
    Closed,
    /// The name of the next shader, or the end of the text: the closing brace is missing.
    Open,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [u8], limits: &'a Limits) -> Self {
        let script = ShaderScript::default();
        Parser { tokens: Tokens::of_script(text), limits, next: None, script, stages: 0 }
    }

    fn take(&mut self) -> Option<Token<'a>> {
        self.next.take().or_else(|| self.tokens.next())
    }

    fn peek(&mut self) -> Option<Token<'a>> {
        if self.next.is_none() {
            self.next = self.tokens.next();
        }
        self.next
    }

    /// The next word of the line.
    fn argument(&mut self) -> Option<Token<'a>> {
        let token = self.peek().filter(|token| !token.starts_line && !token.opens() && !token.closes())?;
        self.next = None;
        Some(token)
    }

    /// A required argument on the line.
    fn expect(&mut self, expected: &'static str) -> Option<Token<'a>> {
        let argument = self.argument();
        if argument.is_none() {
            let offset = self.peek().map_or(self.tokens.offset(), |token| token.offset);
            self.script.fault(offset, expected);
        }
        argument
    }

    fn skip_line(&mut self) {
        while self.argument().is_some() {}
    }

    fn check(&self, what: &'static str, count: u64, offset: u64) -> Result<()> {
        if count > self.limits.count {
            let kind = ErrorKind::Limit { what, limit: self.limits.count, found: count };
            return Err(Error::new(FORMAT, offset, kind));
        }
        Ok(())
    }

    pub(super) fn script(mut self) -> Result<ShaderScript> {
        while let Some(name) = self.take() {
            if name.closes() {
                self.script.fault(name.offset, "no closing brace without an opening brace");
                continue;
            }
            if name.opens() {
                self.script.fault(name.offset, "the name of a shader");
                self.shader(Shader::default())?;
                continue;
            }
            self.check("shaders", self.script.shaders.len() as u64 + 1, name.offset)?;
            match self.peek() {
                Some(brace) if brace.opens() => {
                    self.next = None;
                    self.shader(Shader { name: name.to_text(), offset: name.offset, ..Shader::default() })?;
                }
                // The next word may be the name.
                _ => self.script.fault(name.offset, "a brace after the name of a shader"),
            }
        }
        Ok(self.script)
    }

    /// Parses a shader after its opening brace.
    fn shader(&mut self, mut shader: Shader) -> Result<()> {
        shader.end = loop {
            let Some(word) = self.take() else {
                self.script.fault(self.tokens.offset(), "a brace at the end of the shader");
                break self.tokens.offset();
            };
            if word.closes() {
                break word.offset + 1;
            }
            if word.opens() {
                self.check("stages", self.stages + 1, word.offset)?;
                self.stages += 1;
                let mut stage = Stage::default();
                let end = self.stage(&mut stage);
                shader.stage_count += 1;
                if shader.stages.len() < MAX_STAGES {
                    shader.stages.push(stage);
                }
                if matches!(end, End::Open) {
                    break self.tokens.offset();
                }
                continue;
            }
            if self.begins_shader(word) {
                self.script.fault(word.offset, "a brace at the end of the shader");
                self.next_name(word);
                break word.offset;
            }
            self.statement(word, &mut shader);
        };
        // A shader without a name cannot be found.
        if !shader.name.is_empty() {
            self.script.shaders.push(shader);
        }
        Ok(())
    }

    /// Whether a word in place of a statement is the name of another shader: it is a path, alone on its line, and
    /// followed by a brace.
    fn begins_shader(&mut self, word: Token<'a>) -> bool {
        word.starts_line
            && word.text.raw().contains(&b'/')
            && self.peek().is_some_and(|brace| brace.opens() && brace.starts_line)
    }

    /// Puts back a name, before the brace that was read ahead.
    fn next_name(&mut self, name: Token<'a>) {
        self.tokens.seek(name.offset);
        self.next = None;
    }

    fn statement(&mut self, word: Token<'a>, shader: &mut Shader) {
        if word.is("cull") {
            if let Some(side) = self.expect("a side after cull") {
                shader.cull = cull(side);
            }
        } else if word.is("surfaceparm") {
            shader.is_no_draw |=
                self.expect("a word after surfaceparm").is_some_and(|parameter| parameter.is("nodraw"));
        } else if word.is("deformVertexes") {
            if let Some(kind) = self.expect("a kind after deformVertexes") {
                keep(&mut shader.deforms, kind);
            }
        } else if word.is("qer_editorimage") {
            shader.editor_image = self.argument().map(Token::to_text).filter(|path| !path.is_empty());
        } else if word.is("skyParms") || word.is("fogParms") || word.is("portal") {
            keep(&mut shader.effects, word);
        }
        self.skip_line();
    }

    /// Parses a stage after its opening brace.
    fn stage(&mut self, stage: &mut Stage) -> End {
        loop {
            let Some(word) = self.take() else {
                self.script.fault(self.tokens.offset(), "a brace at the end of the stage");
                return End::Open;
            };
            if word.closes() {
                return End::Closed;
            }
            if word.opens() {
                self.script.fault(word.offset, "a brace at the end of the stage");
                self.next = Some(word);
                return End::Closed;
            }
            if self.begins_shader(word) {
                self.script.fault(word.offset, "a brace at the end of the stage");
                self.next_name(word);
                return End::Open;
            }
            self.stage_statement(word, stage);
        }
    }

    fn stage_statement(&mut self, word: Token<'a>, stage: &mut Stage) {
        if word.is("map") || word.is("clampMap") {
            stage.is_clamped = word.is("clampMap");
            if let Some(path) = self.expect("an image after map") {
                stage.image = image(path);
            }
        } else if word.is("animMap") || word.is("clampAnimMap") || word.is("oneshotAnimMap") {
            stage.is_clamped = word.is("clampAnimMap");
            let _frequency = self.expect("a frequency after animMap");
            if let Some(first) = self.expect("images after animMap") {
                let mut count = 1;
                while self.argument().is_some() {
                    count += 1;
                }
                stage.image = StageImage::Frames { first: first.to_text(), count };
            }
        } else if word.is("videoMap") {
            stage.image = self
                .expect("a video after videoMap")
                .map_or(StageImage::Missing, |path| StageImage::Video(path.to_text()));
        } else if word.is("alphaFunc") {
            if let Some(test) = self.expect("a test after alphaFunc") {
                stage.alpha_test = alpha_test(test);
                if stage.alpha_test.is_none() {
                    self.script.fault(test.offset, "GT0, LT128, GE128 or GE192");
                }
            }
        } else if word.is("blendFunc") {
            self.blend(stage);
        } else if word.is("rgbGen") || word.is("alphaGen") {
            let color = self.color();
            if word.is("rgbGen") { stage.rgb_gen = color } else { stage.alpha_gen = color }
        } else if word.is("tcGen") || word.is("texGen") {
            if let Some(kind) = self.expect("a kind after tcGen") {
                let is_own = kind.is("base") || kind.is("texture");
                stage.texcoord_gen = (!is_own).then(|| kind.to_text());
                if kind.is("vector") {
                    self.numbers(6);
                }
            }
        } else if word.is("tcMod") {
            if let Some(kind) = self.expect("a kind after tcMod") {
                keep(&mut stage.texcoord_mods, kind);
            }
            self.numbers(6);
        } else if word.is("depthWrite") {
            stage.writes_depth = true;
        } else if word.is("depthFunc") {
            // A material has no depth function, so the argument is skipped.
            let _ = self.argument();
        } else if !word.is("detail") {
            self.skip_line();
        }
    }

    fn blend(&mut self, stage: &mut Stage) {
        use BlendFactor::{DstColor, One, OneMinusSrcAlpha, SrcAlpha, Zero};
        let Some(first) = self.expect("a word after blendFunc") else { return };
        stage.blend = if first.is("add") {
            Some((One, One))
        } else if first.is("filter") {
            Some((DstColor, Zero))
        } else if first.is("blend") {
            Some((SrcAlpha, OneMinusSrcAlpha))
        } else {
            let second = self.expect("a second factor after blendFunc");
            let factors = (
                BlendFactor::parse(first.text.raw()),
                second.and_then(|word| BlendFactor::parse(word.text.raw())),
            );
            if let (Some(source), Some(destination)) = factors {
                // These factors replace what was drawn before.
                Some((source, destination)).filter(|factors| *factors != (One, Zero))
            } else {
                self.script.fault(first.offset, "two factors, or add, filter or blend");
                None
            }
        };
    }

    fn color(&mut self) -> ColorGen {
        let Some(kind) = self.expect("a word after rgbGen or alphaGen") else { return ColorGen::Unset };
        if kind.is("lightingDiffuse") {
            ColorGen::Lighting
        } else if kind.is("vertex") || kind.is("exactVertex") || kind.is("oneMinusVertex") {
            ColorGen::Vertex
        } else if kind.is("const") || kind.is("constant") {
            let mut color = [0.0; 3];
            for (slot, value) in color.iter_mut().zip(self.numbers(3)) {
                *slot = value;
            }
            ColorGen::Constant(color)
        } else {
            if kind.is("wave") {
                let _function = self.argument();
            }
            self.numbers(4);
            ColorGen::Other(kind.to_text())
        }
    }

    /// At most `count` numbers that follow on the line, in parentheses or not.
    fn numbers(&mut self, count: usize) -> Vec<f32> {
        let mut numbers = Vec::new();
        while let Some(token) = self.peek() {
            let text = token.to_text();
            let inner = text.trim_matches(['(', ')']);
            let number = inner.parse::<f32>().ok().filter(|value| value.is_finite());
            let is_function = ["sin", "triangle", "square", "sawtooth", "inversesawtooth", "noise"]
                .iter()
                .any(|name| token.is(name));
            if token.starts_line
                || !(inner.is_empty() || is_function || number.is_some() && numbers.len() < count)
            {
                break;
            }
            self.next = None;
            numbers.extend(number);
        }
        numbers
    }
}
