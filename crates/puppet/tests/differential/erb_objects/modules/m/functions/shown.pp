function m::shown(*$args) >> String { "${args}" }
