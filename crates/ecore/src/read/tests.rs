#![allow(clippy::unwrap_used)]

use super::*;

const HEAD: &str = r#"<ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" name="pond" nsURI="http://pond" nsPrefix="p">"#;

fn pond(inner: &str) -> String {
    format!("{HEAD}\n{inner}\n</ecore:EPackage>")
}

fn refusal(text: &str) -> String {
    let problem = read(text, Some("pond.ecore")).unwrap_err();
    let at = text.get(problem.range.start as usize..problem.range.end as usize);
    assert!(at.is_some(), "{problem:?}");
    problem.message
}

#[test]
fn models_of_eclipse_round_trip() {
    let text = pond(
        r##"<eAnnotations source="doc"><details key="a&quot;b" value="1&#xA;2"/></eAnnotations>
  <eClassifiers xsi:type="ecore:EClass" name="Fish" abstract="true" eSuperTypes="#//Thing #//deep/Diver">
    <eStructuralFeatures xsi:type="ecore:EAttribute" name="age" unique="false" lowerBound="1" eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//ELong" defaultValueLiteral="7" iD="true"/>
    <eStructuralFeatures xsi:type="ecore:EReference" name="friends" upperBound="-1" eType="#//Fish" eOpposite="#//Fish/friends"/>
    <eStructuralFeatures xsi:type="ecore:EAttribute" name="colour" eType="#//Colour" changeable="false" volatile="true" transient="true" unsettable="true" derived="true"/>
  </eClassifiers>
  <eClassifiers xsi:type="ecore:EClass" name="Thing"/>
  <eClassifiers xsi:type="ecore:EEnum" name="Colour">
    <eLiterals name="red"/>
    <eLiterals name="dark_red" value="1" literal="dark red"/>
  </eClassifiers>
  <eClassifiers xsi:type="ecore:EDataType" name="Path" instanceClassName="java.nio.file.Path"/>
  <eSubpackages name="deep" nsURI="http://deep" nsPrefix="d">
    <eClassifiers xsi:type="ecore:EClass" name="Diver" eSuperTypes="#//Thing"/>
  </eSubpackages>"##,
    );
    let found = read(&text, None).unwrap();
    assert_eq!(found.left_out, []);
    let written = crate::write(&found.packages);
    assert_eq!(read(&written, None).unwrap().packages, found.packages);
    let Classifier::Class(fish) = &found.packages[0].classifiers[0] else { panic!() };
    assert_eq!(
        fish.super_types[1],
        TypeRef::Local(vec!["pond".into(), "deep".into(), "Diver".into()])
    );
    assert_eq!(found.packages[0].annotations[0].get("a\"b"), Some("1\n2"));
}

#[test]
fn all_ways_to_refer() {
    let text = pond(
        r##"<eClassifiers xsi:type="ecore:EClass" xmi:id="_1" name="A"/>
  <eClassifiers xsi:type="ecore:EClass" name="B" eSuperTypes="ecore:EClass #//A _1 #_1 #//@eClassifiers.0 pond.ecore#//A http://pond#//A #/0/A">
    <eSuperTypes href="http://www.eclipse.org/emf/2002/Ecore#//EObject"/>
    <eGenericSuperTypes eClassifier="#//A"/>
    <eStructuralFeatures xsi:type="ecore:EAttribute" name="x">
      <eType xsi:type="ecore:EDataType" href="platform:/plugin/org.eclipse.emf.ecore/model/Ecore.ecore#//EInt"/>
    </eStructuralFeatures>
    <eStructuralFeatures xsi:type="ecore:EReference" name="y" eOpposite="#//B/@eStructuralFeatures.1">
      <eGenericType eClassifier="#//A"><eTypeArguments/></eGenericType>
    </eStructuralFeatures>
    <eOperations name="run"/>
  </eClassifiers>"##,
    );
    let found = read(&text, Some("pond.ecore")).unwrap();
    let Classifier::Class(class) = &found.packages[0].classifiers[1] else { panic!() };
    let a = TypeRef::Local(vec!["pond".into(), "A".into()]);
    let object = TypeRef::Ecore("EObject".into());
    assert_eq!(class.super_types.len(), 9);
    assert!(class.super_types.iter().all(|one| *one == a || *one == object));
    assert_eq!(class.features[0].kind, Some(TypeRef::Ecore("EInt".into())));
    assert_eq!(class.features[1].kind, Some(a));
    let left: Vec<&str> = found.left_out.iter().map(|one| &*one.message).collect();
    assert_eq!(left, ["<eTypeArguments> of y is left out", "operation run of B is left out"]);
}

#[test]
fn several_packages() {
    let text = r##"<?xml version="1.0"?>
<xmi:XMI xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore">
<ecore:EPackage name="a"><eClassifiers xsi:type="ecore:EClass" name="A" eSuperTypes="#/1/A"/></ecore:EPackage>
<ecore:EPackage name="b"><eClassifiers xsi:type="ecore:EClass" name="A"/></ecore:EPackage>
</xmi:XMI>"##;
    let found = read(text, None).unwrap();
    let Classifier::Class(class) = &found.packages[0].classifiers[0] else { panic!() };
    assert_eq!(class.super_types, [TypeRef::Local(vec!["b".into(), "A".into()])]);
    assert_eq!(read(&crate::write(&found.packages), None).unwrap(), found);
}

#[test]
fn errors_are_reported() {
    let class =
        |attributes: &str| pond(&format!("<eClassifiers xsi:type=\"ecore:EClass\" {attributes}/>"));
    for (text, message) in [
        (String::new(), "the file has no element"),
        ("<a/><b/>".into(), "a second outermost element"),
        ("<a>x</a>".into(), "text between elements has no meaning here"),
        (
            "<html/>".into(),
            "<html> is no Ecore package: its namespace is not http://www.eclipse.org/emf/2002/Ecore",
        ),
        ("<x:a/>".into(), "the prefix x is not declared"),
        ("<a b='1' b='2'/>".into(), "the attribute b is given twice"),
        ("<a><b></a>".into(), "ill-formed document: expected `</b>`, but `</a>` was found"),
        ("<a><b>".into(), "<b> is not closed"),
        (class(""), "<eClassifiers> has no name"),
        (class("name='A' abstract='yes'"), "abstract is true or false, not \"yes\""),
        (
            class("name='A' eSuperTypes='other.ecore#//B'"),
            "other.ecore#//B refers to another document; only one is read at a time",
        ),
        (class("name='A' eSuperTypes='#//B'"), "#//B refers to nothing in this document"),
        (class("name='A' eSuperTypes='#//'"), "#// refers to nothing in this document"),
        (class("name='A' eSuperTypes='#/'"), "#/ is no class or data type"),
        (pond("<eClassifiers name='A'/>"), "<eClassifiers> has no xsi:type"),
        (pond("<eClassifiers xsi:type='ecore:ENone' name='A'/>"), "a classifier is no ENone"),
        (
            pond(
                "<eClassifiers xsi:type='ecore:EDataType' name='A'/><eClassifiers xsi:type='ecore:EClass' name='A'/>",
            ),
            "A is defined twice in pond",
        ),
    ] {
        assert_eq!(refusal(&text), message, "{text}");
    }
}

#[test]
fn hostile_files_end_in_an_error() {
    let bomb = "<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><a>&b;</a>";
    let outside = "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>";
    let document = "a document type is not allowed: entities of a file's own are not read";
    assert_eq!(refusal(bomb), document);
    assert_eq!(refusal(outside), document);
    assert!(refusal("<a b='&x;'/>").starts_with("the value of b: "));
    assert_eq!(refusal(&"<a>".repeat(1_000_000)), "elements are nested more than 100 deep");
    assert_eq!(
        refusal(&format!("<a b='{}'/>", "x".repeat(2 << 20))),
        "the value of b has more than 1024 KiB"
    );
    let many: String = (0..200_000).map(|i| format!(" a{i}=''")).collect();
    assert_eq!(refusal(&format!("<a{many}/>")), "an element has more than 100 attributes");
    let wide = format!("<a>{}</a>", "<b/>".repeat(1_000_001));
    assert_eq!(refusal(&wide), "the file has more than 1000000 elements");
    let prefixes: String = (0..60).map(|i| format!("<e xmlns:a{i}='x' xmlns:b{i}='x'>")).collect();
    assert_eq!(refusal(&prefixes), "more than 100 prefixes are declared");
    for cut in 0..HEAD.len() {
        refusal(&HEAD[..cut]);
    }
}
