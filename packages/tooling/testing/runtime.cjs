const { registerHooks } = require('node:module')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { default: JestRuntime } = require('jest-runtime')

/** The runtime of the running test file; a process runs one file at a time. */
let current

/** Number of files run so far with `--watch`, which loads our modules again for each file; 0 without `--watch`. */
let watched = 0

/** Path of the source map of each compiled file, by the file's URL. */
const sourceMaps = new Map()

const names = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test'].join()

/** The module `@jest/globals`: live bindings that point to the functions of the current test file. */
const globals = `export let ${names}; export const setGlobals = (functions) => ({ ${names} } = functions)`

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: 'jest:globals', shortCircuit: true }
    const found = next(specifier, context)
    return watched > 0 && isOurs(found.url) ? { ...found, url: `${found.url}?${watched}` } : found
  },
  load(url, context, next) {
    if (url === 'jest:globals') return { format: 'module', source: globals, shortCircuit: true }
    if (!isOurs(url)) return next(url, context)
    return { format: 'module', source: current.compile(url), shortCircuit: true }
  },
})

const isOurs = (url) => /^file:.*\.ts(\?\d+)?$/.test(url)

/**
 * Jest's runtime, except that Node.js itself loads the test files, and modules stay loaded for the next file of the
 * process. Jest would load some hundred modules again for each file, which takes longer than most test files run.
 */
module.exports = class Runtime extends JestRuntime {
  #transformer

  constructor(...args) {
    super(...args)
    const [, , , transformer, , , , globalConfig] = args
    this.#transformer = transformer
    if (globalConfig.watch || globalConfig.watchAll) watched += 1
    current = this
  }

  /** The JavaScript of a TypeScript file; jest caches it from run to run. */
  compile(url) {
    const { code, sourceMapPath } = this.#transformer.transform(fileURLToPath(url), {
      isInternalModule: false,
      supportsDynamicImport: true,
      supportsExportNamespaceFrom: true,
      supportsStaticESM: true,
      supportsTopLevelAwait: true,
    })
    if (sourceMapPath) sourceMaps.set(url, sourceMapPath)
    return code
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(path) {
    const { setGlobals } = await import('@jest/globals')
    setGlobals(this.jestGlobals.cjsGlobals(path))
    return import(pathToFileURL(path).href)
  }

  /** The test framework keeps the state of a file at its top level, so it is loaded again for each file. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    delete require.cache[path]
    return require(path)
  }

  getSourceMaps() {
    return sourceMaps
  }

  // Jest gives tests a copy of the process, in which it replaces this; here they have the process itself.
  installGetBuiltinModule() {}
}
