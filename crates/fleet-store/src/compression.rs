//! Compression of stored contents.

use std::io::Read;

use crate::error::FleetStoreError;

/// The compression level: zstd's default.
const LEVEL: i32 = 3;

/// The largest content that is read, in bytes.
const MAXIMUM: u64 = 1 << 30;

/// Compresses a content.
pub(crate) fn compress(content: &[u8]) -> Result<Vec<u8>, FleetStoreError> {
    zstd::bulk::compress(content, LEVEL).map_err(|e| FleetStoreError::failed(e.to_string()))
}

/// Decompresses a content, such as the metrics of a report.
///
/// # Errors
/// When it is damaged, or larger than 1 GiB.
pub fn decompress(data: &[u8]) -> Result<Vec<u8>, FleetStoreError> {
    let failed = |e: std::io::Error| FleetStoreError::failed(format!("a content is damaged: {e}"));
    let mut content = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(data).map_err(failed)?;
    decoder.take(MAXIMUM + 1).read_to_end(&mut content).map_err(failed)?;
    if content.len() as u64 > MAXIMUM {
        return Err(FleetStoreError::failed("a content is too large"));
    }
    Ok(content)
}
