//! `mgmt::gzip`: a compressed file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use crate::kind::params::Params;
use crate::kind::{Instance, Kind, ParseContext, ParseResult};
use crate::kinds::shared::generated_file::{self, GeneratedFile};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gzip;

/// Compression without a search for repeats, as the library numbers it.
const HUFFMAN_ONLY: i32 = 2;
/// No frame around the compressed bytes.
const RAW: i32 = -15;

impl Kind for Gzip {
    fn schema(&self) -> &KindSchema {
        &files::MGMT_GZIP
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = generated_file::path(&mut p);
        let input = p.text("input");
        if let Some(input) = &input
            && (!input.starts_with('/') || input.ends_with('/'))
        {
            p.error("input", "input must be absolute and not end with a slash");
        }
        if input.as_ref().is_some_and(|input| Path::new(input) == path) {
            p.error("input", "the compressed file cannot be its own input");
        }
        let level = p.integer("level", "level must be a number from -2 to 9").unwrap_or(-1);
        if !(-2..=9).contains(&level) {
            p.error("level", format!("invalid compression level: {level}"));
        }
        let from = match input {
            Some(input) => GzipSource::File(input.into()),
            None => GzipSource::Text(p.text("content").unwrap_or_default()),
        };
        p.finish(Box::new(GzipInstance { path, from, level: level as i32 }) as Box<dyn Instance>)
    }
}

enum GzipSource {
    File(PathBuf),
    Text(String),
}

struct GzipInstance {
    path: PathBuf,
    from: GzipSource,
    level: i32,
}

impl GeneratedFile for GzipInstance {
    fn path(&self) -> &Path {
        &self.path
    }

    fn inputs(&self, _: &Host) -> Vec<Watch> {
        match &self.from {
            GzipSource::File(path) => vec![Watch::Path(path.clone())],
            GzipSource::Text(_) => Vec::new(),
        }
    }

    fn produce(&self, host: &Host, out: &mut dyn Write) -> io::Result<()> {
        match &self.from {
            GzipSource::File(path) => {
                let file = File::open(host.path(path));
                let file =
                    file.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
                compress(self.level, file, out)
            }
            GzipSource::Text(text) => compress(self.level, text.as_bytes(), out),
        }
    }
}

/// Compresses an input in pieces.
fn compress(level: i32, mut input: impl Read, out: &mut dyn Write) -> io::Result<()> {
    let way = match level {
        9 => 2,
        1 => 4,
        _ => 0,
    };
    // Deflate, without name and time, from an unknown system: equal inputs give equal files.
    out.write_all(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, way, 0xff])?;
    let flags = match level {
        -2 => create_comp_flags_from_zip_params(6, RAW, HUFFMAN_ONLY),
        level => create_comp_flags_from_zip_params(level, RAW, 0),
    };
    let mut compressor = Box::new(CompressorOxide::new(flags));
    let mut piece = vec![0; 1 << 16];
    let (mut crc, mut size) = (!0, 0_u32);
    loop {
        let count = match input.read(&mut piece) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let read = &piece[..count];
        crc = read.iter().fold(crc, |crc, byte| TABLE[usize::from(crc as u8 ^ *byte)] ^ (crc >> 8));
        size = size.wrapping_add(count as u32);
        let flush = if count == 0 { TDEFLFlush::Finish } else { TDEFLFlush::None };
        let mut failed = None;
        let (status, _) = compress_to_output(&mut compressor, read, flush, |bytes| {
            let written = out.write_all(bytes);
            let ok = written.is_ok();
            failed = written.err();
            ok
        });
        match status {
            _ if failed.is_some() => return failed.map_or(Ok(()), Err),
            TDEFLStatus::Done => break,
            TDEFLStatus::Okay => {}
            _ => return Err(io::Error::other("the compression failed")),
        }
    }
    out.write_all(&(!crc).to_le_bytes())?;
    out.write_all(&size.to_le_bytes())
}

/// Checksums of single bytes.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let (mut crc, mut bit) = (at as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[at] = crc;
        at += 1;
    }
    table
};
