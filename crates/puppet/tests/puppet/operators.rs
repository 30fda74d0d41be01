//! Operators and access by index on values, without a program around them.

use ordain_puppet::eval::Strict;
use ordain_puppet::eval::access::access;
use ordain_puppet::eval::arithmetic::binary;
use ordain_puppet::syntax::BinaryOp;
use ordain_puppet::value::Value;

fn list(items: &[i64]) -> Value {
    Value::array(items.iter().map(|i| Value::Int(*i)))
}

#[test]
fn operators_work_on_numbers_and_collections() {
    let calc = |op, a: Value, b: Value| binary(op, &a, &b, Strict::Error).map(|o| o.value);
    let int = Value::Int;
    assert_eq!(calc(BinaryOp::Div, int(-7), int(2)).unwrap(), int(-4));
    assert_eq!(calc(BinaryOp::Mod, int(7), int(-3)).unwrap(), int(-2));
    assert_eq!(calc(BinaryOp::ShiftLeft, int(1), int(-1)).unwrap(), int(0));
    assert_eq!(calc(BinaryOp::Sub, list(&[1, 2, 1]), int(1)).unwrap(), list(&[2]));
    assert_eq!(calc(BinaryOp::Add, list(&[1]), list(&[2])).unwrap(), list(&[1, 2]));
    assert!(calc(BinaryOp::Mul, int(i64::MAX), int(2)).is_err());
    assert!(calc(BinaryOp::Div, int(1), int(0)).is_err());
    assert!(calc(BinaryOp::Add, Value::str("1"), int(1)).is_err());
    let loose = binary(BinaryOp::Add, &Value::str("0x10"), &int(1), Strict::Warning).unwrap();
    assert_eq!((loose.value, loose.warnings.len()), (int(17), 1));
}

#[test]
fn access_counts_from_both_ends() {
    let items = list(&[1, 2, 3, 4]);
    let at = |value: &Value, keys: &[i64]| {
        let keys: Vec<Value> = keys.iter().map(|k| Value::Int(*k)).collect();
        access(value, &keys, Strict::Error).unwrap().value
    };
    assert_eq!(at(&items, &[-1]), Value::Int(4));
    assert_eq!(at(&items, &[9]), Value::Undef);
    assert_eq!(at(&items, &[1, -2]), list(&[2, 3]));
    assert_eq!(at(&items, &[-6, -3]), list(&[1, 2]));
    assert_eq!(at(&Value::str("häuser"), &[1, 2]), Value::str("äu"));
    assert_eq!(at(&Value::str("abc"), &[-4]), Value::str(""));
}
