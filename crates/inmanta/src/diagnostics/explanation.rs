//! The original's long explanations of errors. Its command prints them below an error, and recorded
//! errors have them as `explain`.
//!
//! The texts are the original's, since other programs compare them.

use std::fmt::Write;

/// An explanation of an error.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// The text.
    Text(String),
    /// A value that was assigned too late.
    LateAssignment(Box<LateAssignment>),
}

/// A value that was assigned after its relation was frozen.
#[derive(Clone, Debug)]
pub struct LateAssignment {
    /// The name of the relation.
    pub relation: String,
    /// The instance that has the relation.
    pub instance: String,
    /// The values at the time of the freeze; `None` if the relation holds at most one instance.
    pub values: Option<Vec<String>>,
    /// The value that was assigned.
    pub value: String,
    /// The place of the assignment.
    pub at: String,
    /// The inverse relation, if the assignment was there.
    pub reverse: Option<Reverse>,
}

/// The inverse relation that a value was assigned to.
#[derive(Clone, Debug)]
pub struct Reverse {
    /// The number of the relation's attribute.
    pub relation: u32,
    /// The statement that sets the relation from its own side, once the assignment is known.
    pub hint: Option<String>,
}

impl LateAssignment {
    /// The explanation.
    pub fn text(&self) -> String {
        let Self { relation, instance, values, value, at, reverse } = self;
        let reverse = reverse.as_ref().map(|reverse| reverse.hint.as_deref().unwrap_or("None"));
        let mut out = "The compiler could not figure out how to execute this model.\n\n".to_owned();
        // Writing to a string never fails.
        let _ = match values {
            None => write!(
                out,
                "During compilation, the compiler has to decide when it expects an optional \
                 relation to remain undefined. In this compiler run, it guessed that the relation \
                 '{relation}' on the instance {instance} would never get a value assigned, but \
                 the value {value} was assigned at {at}\n\n{WRONG}{OPTIONAL}{COMPLICATED}:\n\n"
            ),
            Some(values) => write!(
                out,
                "During compilation, the compiler has to decide when it expects a relation to \
                 have all its elements.\nIn this compiler run, it guessed that the relation \
                 '{relation}' on the instance {instance} would be complete with the values [{}], \
                 but the value {value} was added at {at}\n\n{WRONG}{LIST}{COMPLICATED}\n\n",
                values.join(",")
            ),
        };
        let applies = if reverse.is_some() { "applies" } else { "does not apply here" };
        let _ = write!(
            out,
            "1. Ensure the model is correct by checking that the problematic assignment at {at} \
             is not conditional on the value it assigns.\n{REPORT}4. [{applies}] If the exception \
             is on the reverse relation, try to give a hint by explicitly using the problematic \
             relation"
        );
        let _ = match (values, reverse) {
            (None, Some(reverse)) => writeln!(out, ": {reverse}.\n{BOOLEAN}"),
            (None, None) => writeln!(out, ".\n{BOOLEAN}"),
            (Some(_), reverse) => {
                writeln!(out, ": {}\n{WHEN}\n", reverse.unwrap_or_default())
            }
        };
        out
    }
}

const WRONG: &str = "This can mean one of two things:\n\n1. The model is incorrect. Most often, \
this is due to something of the form:\n\n";

const OPTIONAL: &str = r#"    implementation mydefault for MyEntity:
        self.relation = "default"
    end

    implement MyEntity using mydefault when not (relation is defined)

  This is always wrong, because the relation can not at the same time be undefined and have the value "default".
"#;

const LIST: &str = r#"    implementation mydefault for MyEntity:
      self.relation += "default"
    end

    implement MyEntity using mydefault when std::count(relation) == 0


   This is always wrong, because the relation can not at the same time have length 0 and contain the value "default"
"#;

const COMPLICATED: &str = "\n2. The model is too complicated for the compiler to resolve.\n\n\
The procedure to solve this is the following";

const REPORT: &str = "2. Set a relation precedence policy on the Inmanta project (See: \
https://docs.inmanta.com/community/latest/troubleshooting.html#compilation-fails).\n\
3. Report a bug to the inmanta issue tracker at https://github.com/inmanta/inmanta/issues or \
directly contact inmanta. This is a priority issue to us, so you will be helped rapidly and by \
reporting the problem, we can fix it properly.\n";

const BOOLEAN: &str =
    "5. Simplify the model by relying less on `is defined` but use a boolean instead.";

const WHEN: &str = "5. Simplify the model by reducing the number of implements calls that pass a \
list into a plugin function in their when clause.";

/// Explains that a constructor matches several instances. `matches` has the attributes of each
/// index with the instance.
pub(crate) fn collision(
    constructor: &str,
    at: &str,
    class: &str,
    matches: &[(String, String)],
) -> Explanation {
    let mut out = format!(
        "The constructor `{constructor}` ({at}) matches different instances in different indexes:\n"
    );
    for (index, instance) in matches {
        // Writing to a string never fails.
        let _ = writeln!(out, "- index {class}({index}) matches {instance}");
    }
    Explanation::Text(out)
}

/// Explains that a module of version 2 is in the path of modules of version 1.
pub(crate) fn new_module(name: &str, path: &str, has_package_source: bool) -> Explanation {
    let source = match has_package_source {
        true => "",
        false => {
            "- set up your project with a module source of type \"package\" (see documentation)\n"
        }
    };
    Explanation::Text(format!(
        "This error occurs when a v2 module was found in v1 modules path. To resolve this you \
         should either convert this module to be v1 or install it as a v2 module and set up your \
         project accordingly.\n\nIf you want to use the module as a v1 module, make sure to use \
         the v1 cookiecutter template to create new modules.\n\nIf you want to use the module as \
         a v2 module:\n{source}- if you would like to work in editable mode on a local copy of \
         the module, run `inmanta module install -e {path}`\n- run `inmanta module add --v2 \
         {name}` to add the module as a dependency and to install the module if required."
    ))
}

/// An entity or a Python class in a comparison.
pub(crate) struct Side<'a> {
    /// Its name.
    pub name: &'a str,
    /// The documentation string.
    pub comment: Option<&'a str>,
    /// Its fields with their types.
    pub fields: Vec<(String, String)>,
}

impl Side<'_> {
    /// The comment, and the fields sorted by name.
    fn body(&self, field: impl Fn(&str, &str) -> String) -> String {
        let mut fields: Vec<_> = self.fields.iter().collect();
        fields.sort();
        let comment = self.comment.filter(|text| !text.is_empty());
        let comment = comment.map(|text| format!("   \"\"\"{text}\"\"\"\n"));
        let fields = fields.into_iter().map(|(name, ty)| field(name, ty));
        comment.into_iter().chain(fields).collect()
    }
}

/// Explains how to remove the differences of an entity and its Python class. `full` is the name of
/// the class; `class` has the place of the entity and the class if that is a frozen dataclass.
pub(crate) fn dataclass(
    full: &str,
    entity: &Side<'_>,
    class: Option<(&str, Side<'_>)>,
) -> Explanation {
    let mut out = format!(
        "To update the python class, add the following code to {full}:\n\nimport dataclasses\n\n\
         @dataclasses.dataclass(frozen=True)\nclass {}:\n{}",
        entity.name,
        entity.body(|name, ty| format!("   {name}: {ty}\n"))
    );
    if let Some((place, class)) = class {
        // Writing to a string never fails.
        let _ = write!(
            out,
            "\n\nAlternatively, to update the inmanta entity replace following code at {place}\n\n\
             entity {} extends std::Dataclass:\n{}end\n",
            entity.name,
            class.body(|name, ty| format!("   {ty} {name}\n"))
        );
    }
    Explanation::Text(out)
}
