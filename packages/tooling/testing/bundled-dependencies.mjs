import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../bundle-options.mjs'
import { inWorkspace } from '../steps.mjs'

/**
 * What nearly every test file imports and what consists of many files: some 700 of the 900 modules that jest would read,
 * link and evaluate for each test file of a service.
 */
const specifiers = [
  ...['@bufbuild/protobuf', '@bufbuild/protobuf/codegenv2', '@bufbuild/protobuf/reflect', '@bufbuild/protobuf/wkt'],
  ...[
    '@bufbuild/protovalidate',
    '@connectrpc/connect',
    '@connectrpc/connect/protocol-connect',
    '@connectrpc/connect-node',
  ],
  ...[
    '@opentelemetry/api',
    '@opentelemetry/api-logs',
    '@opentelemetry/exporter-prometheus',
    '@opentelemetry/resources',
  ],
  ...['@opentelemetry/sdk-metrics', '@opentelemetry/sdk-node', 'ioredis', 'nats', 'pg'],
  ...['drizzle-orm', 'drizzle-orm/node-postgres', 'drizzle-orm/node-postgres/migrator', 'drizzle-orm/pg-core'],
]

/**
 * Makes one file of each of the dependencies that tests need most (what they share is in files of its own), once for each
 * lock file. Returns the name of a JSON file with the path of each by its specifier.
 */
export async function bundleDependencies() {
  const made = createHash('sha256')
    .update(readFileSync(inWorkspace('pnpm-lock.yaml')))
    .update(readFileSync(import.meta.filename))
  const folder = inWorkspace(`node_modules/.cache/parley-dependencies/${made.digest('hex').slice(0, 16)}`)
  const index = join(folder, 'index.json')
  if (!existsSync(index)) await makeBundles(folder)
  return index
}

async function makeBundles(folder) {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  const importers = foldersThatDependOn()
  await build({
    ...bundleOptions,
    splitting: true,
    entryPoints: Object.fromEntries(specifiers.map((specifier) => [nameOf(specifier), `all-of:${specifier}`])),
    outdir: unfinished,
    outExtension: { '.js': '.mjs' },
    plugins: [allOf((specifier) => importers.get(packageOf(specifier)))],
  })
  const paths = Object.fromEntries(specifiers.map((name) => [name, join(folder, `${nameOf(name)}.mjs`)]))
  writeFileSync(join(unfinished, 'index.json'), JSON.stringify(paths))
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    // Another run was quicker.
    rmSync(unfinished, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

/** For `all-of:<specifier>`: a module that exports all that Node finds in it, also in one that is CommonJS. */
const allOf = (importerOf) => ({
  name: 'all-of',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^all-of:/ }, ({ path }) => ({ path: path.slice('all-of:'.length), namespace: 'all-of' }))
    onLoad({ filter: /.*/, namespace: 'all-of' }, async ({ path: specifier }) => {
      const resolveDir = importerOf(specifier)
      const { path } = await resolve(specifier, { resolveDir, kind: 'import-statement' })
      const found = await import(pathToFileURL(path).href).catch(() => createRequire(join(resolveDir, '_'))(specifier))
      const names = Object.keys(found).filter((name) => name !== '__esModule' && /^[\w$]+$/.test(name))
      return { resolveDir, contents: `export { ${names.join(', ')} } from ${JSON.stringify(specifier)}` }
    })
  },
})

/** A folder of the workspace for each package that one depends on. */
function foldersThatDependOn() {
  const found = new Map()
  for (const kind of ['packages', 'services']) {
    for (const name of readdirSync(inWorkspace(kind))) {
      const folder = inWorkspace(`${kind}/${name}`)
      if (!existsSync(join(folder, 'package.json'))) continue
      const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) found.set(dependency, folder)
    }
  }
  return found
}

const nameOf = (specifier) => specifier.replaceAll('/', '_')

const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
