//! DNS names, with the messages of Kubernetes.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const MAX_LABEL_LENGTH: usize = 63;
const MAX_DOMAIN_LENGTH: usize = 253;

fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.iter().all(|b| inner(*b) || *b == b'-')
        && bytes.first().is_some_and(|b| inner(*b))
        && bytes.last().is_some_and(|b| inner(*b))
}

fn is_domain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// The errors in a name.
fn complaints(good: bool, text: &str, longest: usize, rule: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > longest {
        out.push(format!("must be no more than {longest} characters"));
    }
    if !good {
        out.push(rule.to_owned());
    }
    out
}

fn label(text: &str) -> Vec<String> {
    let rule = format!(
        "a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must \
         start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used \
         for validation is '{LABEL}')"
    );
    complaints(is_label(text), text, MAX_LABEL_LENGTH, &rule)
}

fn domain(text: &str) -> Vec<String> {
    let rule = format!(
        "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
         must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
         validation is '{DOMAIN}')"
    );
    complaints(is_domain(text), text, MAX_DOMAIN_LENGTH, &rule)
}

fn wildcard(text: &str) -> Vec<String> {
    let rule = format!(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, \
         which must consist of lower case alphanumeric characters, '-' or '.' and end with an \
         alphanumeric character (e.g. '*.example.com', regex used for validation is \
         '\\*\\.{DOMAIN}')"
    );
    complaints(text.strip_prefix("*.").is_some_and(is_domain), text, MAX_DOMAIN_LENGTH, &rule)
}

/// Whether a text is such a name, and the message for it.
pub(super) fn check(kind: &str, text: &str) -> (bool, String) {
    let (what, found) = match kind {
        "dnslabel" => ("dns label", label(text)),
        "dnsdomain" => ("dns domain", domain(text)),
        "wildcarddnsdomain" => ("wildcard dns domain", wildcard(text)),
        _ if wildcard(text).is_empty() => ("dns name", Vec::new()),
        _ => ("dns name", domain(text)),
    };
    if found.is_empty() {
        (true, format!("is {what}"))
    } else {
        (false, format!("is no {what}: [{}]", found.join(" ")))
    }
}
