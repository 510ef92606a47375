/** The arrows between packages, between services, and inside a service. */

/** A package imports only packages to its left. */
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
/** Top-level packages, on which nothing else depends. */
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

const layerRules = layers.map((name, place) => ({
  name: `layer-${name}`,
  comment: `${name} may import only: ${layers.slice(0, place).join(', ') || 'no packages of this repository'}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: tests },
  // The test kit hands on what tests of all packages share.
  to: {
    path: '^(packages|services)/',
    pathNot: inPackages([...layers.slice(0, place + 1), ...(name === 'testkit' ? ['tooling/testing'] : [])]),
  },
}))

/** Ways into a service, and what starts them. */
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
const aKnownPlace = `^services/[^/]+/src/((${known.join('|')})/|(${files.join('|')})\\.ts$)`

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'client-knows-the-contract-only',
      comment: 'The SDK is a user of the public contract like any other.',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: tests },
      to: { path: '^(packages|services)/', pathNot: inPackages(['client', ...tops.client]) },
    },
    {
      name: 'web-knows-the-client-only',
      comment: 'The web client may use only what any client can use.',
      severity: 'error',
      from: { path: '^packages/web/' },
      to: { path: '^(packages|services)/', pathNot: inPackages(['web', ...tops.web]) },
    },
    {
      name: 'nothing-stands-on-the-tops',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/(cli|compact|loadtest|e2e|web)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'packages-know-no-service',
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
      name: 'services-stand-on-the-layers',
      comment: 'Neither the supervisor, the test kit nor what people run is part of a service.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: tests },
      to: { path: inPackages(['local', 'testkit', ...Object.keys(tops)]) },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'pure-parts-stay-pure',
      comment: 'Rules, parsing and views are handed what they need. Of the store they may know the types of rows.',
      severity: 'error',
      from: { path: inService(pure) },
      to: { path: inService(['store']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pure-parts-know-no-way-in-or-out',
      severity: 'error',
      from: { path: inService(pure) },
      to: { path: inService(['clients', 'engines', 'actions', 'context', ...waysIn]) },
    },
    {
      name: 'every-folder-is-known',
      comment: 'CONTRIBUTING.md lists the allowed folders of a service.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: [aKnownPlace, tests] },
      to: {},
    },
    {
      name: 'actions-know-no-way-in',
      comment: 'Actions do not depend on their callers.',
      severity: 'error',
      from: { path: inService(['actions']), pathNot: tests },
      to: { path: inService(waysIn) },
    },
    {
      name: 'http-and-sockets-call-actions',
      comment: 'What speaks HTTP or sockets leaves rows to actions. Of the store it may know the types of rows.',
      severity: 'error',
      from: { path: inService(['grpc', 'http', 'ws', 'operator']), pathNot: tests },
      to: { path: inService(['store']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ways-out-know-nothing-above-them',
      comment: 'Calls go downwards; see the layers in CONTRIBUTING.md.',
      severity: 'error',
      from: { path: inService(waysOut), pathNot: tests },
      to: { path: inService(['actions', ...waysIn]) },
    },
    {
      name: 'engines-have-one-way-in',
      comment: 'An engine offers what its index.ts exports; config.ts reads its settings.ts without loading the rest.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/', pathNot: [tests, '^services/[^/]+/src/engines/'] },
      to: { path: '^services/[^/]+/src/engines/[^/]+/', pathNot: '/engines/[^/]+/(index|settings)\\.ts$' },
    },
    {
      name: 'engines-know-each-other-by-one-way-in',
      severity: 'error',
      from: { path: '^services/[^/]+/src/engines/([^/]+)/', pathNot: tests },
      to: { path: '^services/[^/]+/src/engines/[^/]+/', pathNot: ['/engines/[^/]+/index\\.ts$', '/engines/$1/'] },
    },
    {
      name: 'store-and-clients-know-no-context',
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
    // What cannot be found keeps the name by which it was imported.
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
