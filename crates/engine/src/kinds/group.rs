//! `group`: a local group, through `groupadd`, `groupmod`, `groupdel`, `gpasswd`.

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, accounts};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::run;
use crate::kind::{Action, Change, Instance, Kind, KindError, ParseContext, ParseResult, all_of};
use crate::kinds::shared::account_files;
use crate::kinds::shared::account_files::{AccountFiles, GroupLine, shadow_tool, with};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// Providers of groups on other systems.
const FOREIGN_PROVIDERS: &[&str] = &["aix", "directoryservice", "ldap", "pw", "windows_adsi"];

/// The kind `group`.
#[derive(Default)]
pub struct Group {
    files: Arc<AccountFiles>,
}

/// The desired state.
struct GroupInstance {
    files: Arc<AccountFiles>,
    name: String,
    present: bool,
    gid: Option<u32>,
    members: Option<Vec<String>>,
    complete: bool,
    system: bool,
    allow_duplicate: bool,
    secrets: Vec<String>,
    remarks: Vec<String>,
}

impl Kind for Group {
    fn schema(&self) -> &KindSchema {
        &accounts::GROUP
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["groupadd"], FOREIGN_PROVIDERS);
        let name = p.name();
        account_files::check_account_name(&mut p, &name);
        let present = p.choice("ensure") != Some("absent");
        let gid = parse_gid(&mut p);
        let members = p.list("members").map(split_members);
        let complete = p.boolean("auth_membership");
        let system = p.boolean("system");
        let allow_duplicate = p.boolean("allowdupe");
        p.boolean("forcelocal");
        p.choice("attribute_membership");
        let foreign = ["attributes", "ia_load_module"].map(|name| (name, Some("manages_aix_lam")));
        p.leave_out("groupadd", &foreign);
        let (files, secrets, remarks) = (self.files.clone(), p.secrets(), p.remarks());
        let group = GroupInstance {
            files,
            name,
            present,
            gid,
            members,
            complete,
            system,
            allow_duplicate,
            secrets,
            remarks,
        };
        p.finish(Box::new(group) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let accounts = self.files.read(host)?;
        Ok(accounts.group_names().into_iter().map(|name| unwanted("Group", name, &[])).collect())
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        account_files::watches()
    }
}

fn parse_gid(p: &mut Params<'_>) -> Option<u32> {
    let text = p.text("gid").filter(|t| t != "absent")?;
    let gid = text.parse().ok();
    if gid.is_none() {
        p.error("gid", format!("Invalid GID {text}"));
    }
    gid
}

/// A list whose items may themselves be lists with commas.
fn split_members(items: Vec<String>) -> Vec<String> {
    let names = items.iter().flat_map(|i| i.split(',')).map(str::trim).filter(|n| !n.is_empty());
    names.map(str::to_string).collect()
}

impl GroupInstance {
    /// The desired members, sorted.
    fn wanted_members(&self, now: &[String]) -> Option<Vec<String>> {
        account_files::desired_names(self.members.as_deref(), now, self.complete)
    }

    fn compare_present(&self, now: &GroupLine) -> Vec<Change> {
        let mut differences = Differences::new(&self.secrets);
        if let Some(gid) = self.gid.filter(|g| *g != now.gid) {
            differences.property("gid", Value::Int(now.gid.into()), Value::Int(gid.into()));
        }
        let current = account_files::sorted_names(&now.members);
        if let Some(wanted) = self.wanted_members(&now.members).filter(|w| *w != current) {
            let before = Value::str(now.members.join(","));
            differences.property("members", before, Value::str(wanted.join(",")));
        }
        differences.finish()
    }

    fn create(&self, host: &Host) -> Result<(), KindError> {
        let gid = self.gid.map(|g| g.to_string());
        let mut command = shadow_tool(host, "groupadd", "-P")?;
        if let Some(gid) = &gid {
            command = with(command, ["-g", gid]);
        }
        if self.allow_duplicate && gid.is_some() {
            command = with(command, ["-o"]);
        }
        if self.system {
            command = with(command, ["-r"]);
        }
        let done = run(host, &with(command, [self.name.as_str()]));
        self.files.forget();
        done.map_err(|e| KindError::new(format!("Could not create group {}: {e}", self.name)))?;
        match self.members.as_deref() {
            Some([]) | None => Ok(()),
            Some(_) => self.set_members(host),
        }
    }

    fn set_gid(&self, host: &Host) -> Result<(), KindError> {
        let Some(gid) = self.gid.map(|g| g.to_string()) else { return Ok(()) };
        let mut command = with(shadow_tool(host, "groupmod", "-P")?, ["-g", &gid]);
        if self.allow_duplicate {
            command = with(command, ["-o"]);
        }
        let done = run(host, &with(command, [self.name.as_str()]));
        done.map(drop)
            .map_err(|e| KindError::new(format!("Could not set gid on group[{}]: {e}", self.name)))
    }

    fn set_members(&self, host: &Host) -> Result<(), KindError> {
        let accounts = self.files.read(host)?;
        let unknown: Vec<&str> = self
            .members
            .iter()
            .flatten()
            .map(String::as_str)
            .filter(|m| !account_files::exists(host, &accounts, m))
            .collect();
        let failed =
            |e: &str| KindError::new(format!("Could not set members on group[{}]: {e}", self.name));
        if !unknown.is_empty() {
            return Err(failed(&format!("no such user: {}", unknown.join(", "))));
        }
        let now = accounts.group(&self.name).map_or(&[][..], |g| &g.members);
        let Some(wanted) = self.wanted_members(now) else { return Ok(()) };
        let list = wanted.join(",");
        // This tool's option -Q is -R in the others.
        let command = with(shadow_tool(host, "gpasswd", "-Q")?, ["-M", &list, &self.name]);
        run(host, &command).map(drop).map_err(|e| failed(&e.0))
    }
}

impl Instance for GroupInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        account_files::watches()
    }

    fn second_names(&self) -> Vec<ResourceRef> {
        let number = self.gid.map(|gid| gid.to_string());
        // A number means the group with this id, even if another group has it as its name.
        let name = Some(self.name.clone()).filter(|n| !n.bytes().all(|b| b.is_ascii_digit()));
        let names = number.into_iter().chain(name);
        names.map(|n| ResourceRef { kind: "Group".into(), title: n.into() }).collect()
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn observed(&self, host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        let accounts = self.files.read(host)?;
        let Some(now) = accounts.group(&self.name) else {
            let names = ["ensure", "gid", "members"];
            return Ok(Some(names.map(|name| (name, Value::Null)).to_vec()));
        };
        let members = now.members.iter().map(|name| Value::str(name.as_str()));
        Ok(Some(vec![
            ("ensure", Value::str("present")),
            ("gid", Value::Int(now.gid.into())),
            ("members", Value::list(members)),
        ]))
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let accounts = self.files.read(host)?;
        let mut differences = Differences::new(&self.secrets);
        match (accounts.group(&self.name), self.present) {
            (Some(now), true) => return Ok(self.compare_present(now)),
            (None, false) => {}
            (None, true) => differences.create("absent", Value::str("present")),
            (Some(_), false) => differences.remove(Value::str("present"), "absent", "removed"),
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let done = match made.iter().find(|c| c.property == "ensure").map(|c| c.action) {
            Some(Action::Create) => self.create(host),
            Some(_) => {
                let command = with(shadow_tool(host, "groupdel", "-P")?, [self.name.as_str()]);
                run(host, &command).map(drop).map_err(|e| {
                    KindError::new(format!("Could not delete group {}: {e}", self.name))
                })
            }
            None => {
                let gid = if changes(made, "gid") { self.set_gid(host) } else { Ok(()) };
                let members =
                    if changes(made, "members") { self.set_members(host) } else { Ok(()) };
                all_of([gid, members])
            }
        };
        self.files.forget();
        done
    }
}
