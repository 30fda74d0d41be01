"""What PyEcore and jsonschema say of the documents that Ordain writes, and models that PyEcore writes.

    check.py structure FILE.ecore          the structure of a model as JSON
    check.py write FILE.ecore              writes a model
    check.py validate SCHEMA INSTANCES     which of a list of instances a schema accepts, as JSON
"""
import json
import sys

from pyecore import ecore
from pyecore.resources import ResourceSet, URI


def notes(element):
    return {note.source: dict(note.details) for note in element.eAnnotations}


def feature(one):
    out = {
        'name': one.name,
        'type': one.eType.name,
        'lower': one.lowerBound,
        'upper': one.upperBound,
        'changeable': one.changeable,
        'volatile': one.volatile,
        'transient': one.transient,
        'unsettable': one.unsettable,
        'derived': one.derived,
        'notes': notes(one),
    }
    if isinstance(one, ecore.EReference):
        out['containment'] = one.containment
    else:
        out['id'] = one.iD
        if one.defaultValueLiteral is not None:
            out['default'] = one.defaultValueLiteral
    return out


def classifier(one):
    if isinstance(one, ecore.EEnum):
        return {'enum': one.name, 'literals': [[literal.name, literal.value] for literal in one.eLiterals]}
    return {
        'class': one.name,
        'abstract': one.abstract,
        'super': [parent.name for parent in one.eSuperTypes],
        'notes': notes(one),
        'features': [feature(each) for each in one.eStructuralFeatures],
    }


def package(one):
    return {
        'name': one.name,
        'uri': one.nsURI,
        'prefix': one.nsPrefix,
        'classifiers': [classifier(each) for each in one.eClassifiers],
        'packages': [package(each) for each in one.eSubpackages],
    }


def structure(path):
    print(json.dumps([package(root) for root in ResourceSet().get_resource(URI(path)).contents]))


def write(path):
    root = ecore.EPackage('library', nsURI='http://example.org/library', nsPrefix='lib')
    inner = ecore.EPackage('people', nsURI='http://example.org/people', nsPrefix='p')
    root.eSubpackages.append(inner)
    kind = ecore.EEnum('Kind', literals=['novel', 'poem'])
    person = ecore.EClass('Person', abstract=True)
    person.eStructuralFeatures.append(ecore.EAttribute('name', ecore.EString, lower=1, iD=True))
    writer = ecore.EClass('writer', superclass=(person,))
    inner.eClassifiers.extend([person, writer])
    book = ecore.EClass('Book')
    pages = ecore.EAttribute('pages', ecore.EInt)
    pages.defaultValueLiteral = '100'
    book.eStructuralFeatures.append(pages)
    book.eStructuralFeatures.append(ecore.EAttribute('kind', kind))
    book.eStructuralFeatures.append(ecore.EReference('authors', writer, upper=-1))
    shelf = ecore.EClass('Shelf')
    books = ecore.EReference('books', book, upper=-1, containment=True)
    # PyEcore does not write that they are opposites.
    back = ecore.EReference('shelf', shelf)
    shelf.eStructuralFeatures.append(books)
    book.eStructuralFeatures.append(back)
    root.eClassifiers.extend([kind, book, shelf])
    resource = ResourceSet().create_resource(URI(path))
    resource.append(root)
    resource.save()


def validate(schema, instances):
    from jsonschema import Draft202012Validator

    with open(schema) as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    with open(instances) as file:
        print(json.dumps([validator.is_valid(one) for one in json.load(file)]))


{'structure': structure, 'write': write, 'validate': validate}[sys.argv[1]](*sys.argv[2:])
