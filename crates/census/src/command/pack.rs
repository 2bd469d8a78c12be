//! Compares the pack of a part with the products in its table.

use std::fs::File;
use std::io::{Read, copy, sink};
use std::path::Path;

use meshlens_source::open_regular;

use crate::args::Pack;
use crate::parquet_columns::{Cell, ParquetFile};
use crate::stop::{Result, Stop};

/// The name and the size of each product.
type Products = Vec<(Vec<u8>, u64)>;

/// The difference between the pack beside a table and the table; `None` if they agree, or products are in the table. Reads all
/// of the pack.
pub(crate) fn differs(table: &Path, pack: Pack) -> Option<String> {
    let path = &table.with_extension(pack.extension()?);
    let found = open_regular(path).map_err(Stop::from).and_then(|file| match pack {
        Pack::Zip => of_zip(file, path),
        _ => of_tar(file, path),
    });
    let (found, expected) = match found.and_then(|found| Ok((found, of_table(table)?))) {
        Ok(both) => both,
        Err(stop) => return Some(stop.to_string()),
    };
    let (count, listed) = (found.len(), expected.len());
    if count != listed {
        return Some(format!("{}: {count} products, and the table has {listed}", path.display()));
    }
    let other = found.iter().zip(&expected).position(|(found, expected)| found != expected)?;
    Some(format!("{}: product {other} is not that of the table", path.display()))
}

fn of_table(path: &Path) -> Result<Products> {
    let (file, mut products) = (ParquetFile::open(path)?, Products::new());
    for group in 0..file.groups().len() {
        for row in file.rows(group, ["product", "product_size"])? {
            if let [Cell::Text(name), Cell::Number(size)] = row? {
                products.push((name.data().to_vec(), size.cast_unsigned()));
            }
        }
    }
    Ok(products)
}

fn of_zip(file: File, path: &Path) -> Result<Products> {
    let mut zip = zip::ZipArchive::new(file).map_err(Stop::at(path))?;
    let mut products = Products::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(Stop::at(path))?;
        let name = entry.name_raw().to_vec();
        // The end of an entry compares its CRC-32.
        products.push((name, size(&mut entry, path)?));
    }
    Ok(products)
}

fn of_tar(file: File, path: &Path) -> Result<Products> {
    let (mut tar, mut products) = (tar::Archive::new(file), Products::new());
    for entry in tar.entries().map_err(Stop::at(path))? {
        let mut entry = entry.map_err(Stop::at(path))?;
        let name = entry.path_bytes().into_owned();
        products.push((name, size(&mut entry, path)?));
    }
    Ok(products)
}

/// The number of bytes that an entry really has.
fn size(entry: &mut impl Read, path: &Path) -> Result<u64> {
    copy(entry, &mut sink()).map_err(Stop::at(path))
}
