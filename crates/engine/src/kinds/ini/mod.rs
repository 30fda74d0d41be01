//! `ini_setting` and `ini_subsetting`: settings of ini files, and items in their values.

mod document;
mod file;
mod items;
mod setting;
mod subsetting;

pub use setting::IniSetting;
pub use subsetting::IniSubsetting;
