//! The package managers with command lines, one file each.

mod apk;
mod dnf;
mod gem;
pub(super) mod model;
mod npm;
mod pacman;
mod pip;
mod rpm;
mod zypper;

use model::Manager;
pub(super) use rpm::DATABASE as RPM_DATABASES;

/// The manager with this name, except apt and dpkg.
pub(super) fn find(name: &str) -> Option<&'static dyn Manager> {
    const ALL: [&dyn Manager; 9] = [
        &apk::Apk,
        &dnf::DNF,
        &dnf::YUM,
        &gem::Gem,
        &npm::Npm,
        &pacman::Pacman,
        &pip::PIP,
        &pip::PIP3,
        &zypper::Zypper,
    ];
    ALL.into_iter().find(|manager| manager.name() == name)
}
