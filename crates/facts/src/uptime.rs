//! The uptime and load of the machine.

use ordain_data::Value;

use crate::Machine;

pub(crate) fn system_uptime(machine: &Machine) -> Option<Value> {
    let text = machine.line("/proc/uptime")?;
    let whole = text.split(['.', ' ']).next()?;
    let seconds: i64 = whole.parse().ok()?;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let days = hours / 24;
    let uptime = match days {
        0 => format!("{hours}:{minutes:02} hours"),
        1 => "1 day".to_owned(),
        _ => format!("{days} days"),
    };
    Some(Value::map([
        ("days", Value::Int(days)),
        ("hours", Value::Int(hours)),
        ("seconds", Value::Int(seconds)),
        ("uptime", uptime.into()),
    ]))
}

pub(crate) fn load_averages(machine: &Machine) -> Option<Value> {
    let text = machine.line("/proc/loadavg")?;
    let mut numbers = text.split_whitespace().map_while(|n| n.parse::<f64>().ok());
    let (one, five, fifteen) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(Value::map([
        ("15m", Value::Float(fifteen)),
        ("1m", Value::Float(one)),
        ("5m", Value::Float(five)),
    ]))
}
