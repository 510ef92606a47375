/** Rules for imports between packages, between services, and inside a service. */

/** A package imports only packages that precede it in this list. */
const layers = [
  'contracts',
  'protobuf',
  'ids',
  'outbound',
  'config',
  'telemetry',
  'runtime',
  'postgres',
  'jobs',
  'redis',
  'permissions',
  'credentials',
  'signed-urls',
  'rpc',
  'events',
  'service',
  'doctor',
  'local',
  'testkit',
]
/**
 * Top-level packages, which no other package imports, and what they may import; undefined if no rule limits it here.
 */
const tops = {
  client: ['contracts'],
  web: ['client'],
  cli: undefined,
  compact: undefined,
  loadtest: undefined,
  e2e: undefined,
}

const tests = '(\\.test\\.ts$|^[^/]+/[^/]+/test/)'
const inPackages = (names) => `^packages/(${names.join('|')})/`
const inService = (folders) => `^services/[^/]+/src/(${folders.join('|')})(/|\\.ts$)`

const layerRules = layers.map((name, index) => ({
  name: `layer-${name}`,
  comment: `${name} may import only: ${layers.slice(0, index).join(', ') || 'no packages of this repository'}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: tests },
  // testkit exports what the tests of all packages share.
  to: {
    path: '^(packages|services)/',
    pathNot: inPackages([...layers.slice(0, index + 1), ...(name === 'testkit' ? ['tooling/testing'] : [])]),
  },
}))

/** Folders of the ways into a service, and the files that start them. */
const waysIn = [
  'rpc',
  'grpc',
  'http',
  'ws',
  'consumers',
  'jobs',
  'operator',
  'service',
  'open-context',
  'main',
  'operate',
  'doctor',
  'video-worker',
]
const pure = ['policy', 'domain', 'view']
const waysOut = ['store', 'clients', 'engines']
/** Files beside the folders, the same in all services. */
const files = [
  'config',
  'context',
  'doctor',
  'errors',
  'main',
  'metrics',
  'migrate',
  'open-context',
  'operate',
  'print-config',
  'service',
]
const known = [...waysIn, 'actions', ...pure, ...waysOut]
const knownPaths = `^services/[^/]+/src/((${known.join('|')})/|(${files.join('|')})\\.ts$)`

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'client-imports-only-the-contract',
      comment: 'The SDK uses the public contract as every other client does.',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: tests },
      to: { path: '^(packages|services)/', pathNot: inPackages(['client', ...tops.client]) },
    },
    {
      name: 'web-imports-only-the-client',
      comment: 'The web client may use only what every client can use.',
      severity: 'error',
      from: { path: '^packages/web/' },
      to: { path: '^(packages|services)/', pathNot: inPackages(['web', ...tops.web]) },
    },
    {
      name: 'no-import-of-top-level-packages',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/(cli|compact|loadtest|e2e|web)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'packages-import-no-service',
      comment: 'Only the compact layout and the end-to-end tests may start services.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/(compact|e2e)/' },
      to: { path: '^services/' },
    },
    {
      name: 'no-service-imports-a-service',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-import-only-layers',
      comment: 'A service imports neither the supervisor nor the test kit nor a top-level package.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: tests },
      to: { path: inPackages(['local', 'testkit', ...Object.keys(tops)]) },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'pure-folders-do-not-read-the-store',
      comment: 'policy, domain and view get their data as arguments. They may import types of rows from the store.',
      severity: 'error',
      from: { path: inService(pure) },
      to: { path: inService(['store']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pure-folders-import-no-way-in-or-out',
      severity: 'error',
      from: { path: inService(pure) },
      to: { path: inService(['clients', 'engines', 'actions', 'context', ...waysIn]) },
    },
    {
      name: 'every-folder-is-known',
      comment: 'CONTRIBUTING.md lists the allowed folders of a service.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: [knownPaths, tests] },
      to: {},
    },
    {
      name: 'actions-import-no-way-in',
      comment: 'Actions do not depend on their callers.',
      severity: 'error',
      from: { path: inService(['actions']), pathNot: tests },
      to: { path: inService(waysIn) },
    },
    {
      name: 'http-and-sockets-call-actions',
      comment: 'grpc, http, ws and operator call actions, not the store. They may import types of rows from it.',
      severity: 'error',
      from: { path: inService(['grpc', 'http', 'ws', 'operator']), pathNot: tests },
      to: { path: inService(['store']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ways-out-import-nothing-above-them',
      comment: 'Calls go downwards; see the layers in CONTRIBUTING.md.',
      severity: 'error',
      from: { path: inService(waysOut), pathNot: tests },
      to: { path: inService(['actions', ...waysIn]) },
    },
    {
      name: 'engines-are-imported-by-their-index',
      comment: 'Import an engine by its index.ts, or only its settings by its settings.ts.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/', pathNot: [tests, '^services/[^/]+/src/engines/'] },
      to: { path: '^services/[^/]+/src/engines/[^/]+/', pathNot: '/engines/[^/]+/(index|settings)\\.ts$' },
    },
    {
      name: 'engines-import-each-other-by-their-index',
      severity: 'error',
      from: { path: '^services/[^/]+/src/engines/([^/]+)/', pathNot: tests },
      to: { path: '^services/[^/]+/src/engines/[^/]+/', pathNot: ['/engines/[^/]+/index\\.ts$', '/engines/$1/'] },
    },
    {
      name: 'store-and-clients-import-no-context',
      severity: 'error',
      from: { path: inService(['store', 'clients']), pathNot: tests },
      to: { path: inService(['context']) },
    },
    {
      name: 'handlers-do-not-import-each-other',
      comment: 'Move code that two handlers share into domain, policy, store or clients.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/rpc/', pathNot: '^services/[^/]+/src/rpc/.*index\\.ts$' },
      to: { path: '^services/[^/]+/src/rpc/' },
    },
    {
      name: 'sql-stays-in-the-store',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: [inService(['store']), tests] },
      to: { path: 'node_modules/(drizzle-orm|pg)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'production-needs-no-test',
      severity: 'error',
      from: { pathNot: [tests, '^packages/(testkit|e2e|tooling)/'] },
      to: { path: tests },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/', '/gen/', '/drizzle/'] },
    // An import that cannot be resolved keeps its relative path, so `^\\.` includes it.
    includeOnly: ['^(packages|services)/', 'node_modules/(drizzle-orm|pg)/', '^\\.'],
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
