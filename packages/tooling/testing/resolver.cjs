const { readFileSync } = require('node:fs')

const bundled = JSON.parse(readFileSync(process.env.PARLEY_TEST_DEPENDENCIES, 'utf8'))

/** Jest's resolver; for our own modules, what is bundled (see bundled-dependencies.mjs) is taken from there. */
module.exports = (specifier, options) => {
  const isOurs = options.conditions?.includes('import') && !options.basedir.includes('/node_modules/')
  return (isOurs && bundled[specifier]) || options.defaultResolver(specifier, options)
}
