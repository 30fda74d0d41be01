notice('types whose titles cannot be read do no harm until they are used')
