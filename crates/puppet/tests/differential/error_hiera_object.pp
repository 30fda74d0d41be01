# Site: ruby_objects
$broken = 'objects'
notice(lookup('none'))
