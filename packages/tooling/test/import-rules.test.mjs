import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import config from '../dependency-cruiser.cjs'
import { inWorkspace } from '../steps.mjs'

const rooms = 'services/rooms/src'
const layers = config.forbidden.map(({ name }) => name).filter((name) => name.startsWith('layer-'))

/** For each rule, an import that violates it: the importing file, and the imported file or library. */
const violating = {
  ...Object.fromEntries(layers.map((rule) => [rule, [`packages/${rule.slice(6)}/src/a.ts`, 'packages/cli/src/b.ts']])),
  'client-imports-only-the-contract': ['packages/client/src/a.ts', 'packages/ids/src/b.ts'],
  'web-imports-only-the-client': ['packages/web/src/a.ts', 'packages/contracts/src/b.ts'],
  'no-import-of-top-level-packages': ['packages/cli/src/a.ts', 'packages/loadtest/src/b.ts'],
  'packages-import-no-service': ['packages/cli/src/c.ts', `${rooms}/config.ts`],
  'no-service-imports-a-service': ['services/calls/src/rpc/a.ts', `${rooms}/config.ts`],
  'services-import-only-layers': [`${rooms}/rpc/a.ts`, 'packages/testkit/src/b.ts'],
  'no-cycles': [`${rooms}/domain/a.ts`, `${rooms}/domain/a.ts`],
  'pure-folders-do-not-read-the-store': [`${rooms}/view/a.ts`, `${rooms}/store/b.ts`],
  'pure-folders-import-no-way-in-or-out': [`${rooms}/policy/a.ts`, `${rooms}/clients/b.ts`],
  'every-folder-is-known': [`${rooms}/helpers/a.ts`, `${rooms}/domain/b.ts`],
  'actions-import-no-way-in': [`${rooms}/actions/topic/a.ts`, `${rooms}/jobs/b.ts`],
  'http-and-sockets-call-actions': [`${rooms}/http/a.ts`, `${rooms}/store/b.ts`],
  'ways-out-import-nothing-above-them': [`${rooms}/store/a.ts`, `${rooms}/actions/topic/b.ts`],
  'engines-are-imported-by-their-index': [`${rooms}/actions/topic/c.ts`, `${rooms}/engines/one/inside.ts`],
  'engines-import-each-other-by-their-index': [`${rooms}/engines/two/a.ts`, `${rooms}/engines/one/inside.ts`],
  'store-and-clients-import-no-context': [`${rooms}/clients/a.ts`, `${rooms}/context.ts`],
  'handlers-do-not-import-each-other': [`${rooms}/rpc/room/a.ts`, `${rooms}/rpc/room/b.ts`],
  'sql-stays-in-the-store': [`${rooms}/domain/c.ts`, 'pg'],
  'production-needs-no-test': ['packages/ids/src/d.ts', 'packages/ids/src/b.test.ts'],
  resolvable: ['packages/ids/src/e.ts', './nowhere.ts'],
}
const allowed = [
  [`${rooms}/http/fine.ts`, `${rooms}/actions/topic/b.ts`],
  [`${rooms}/actions/topic/fine.ts`, `${rooms}/store/b.ts`],
  [`${rooms}/actions/topic/engine.ts`, `${rooms}/engines/one/index.ts`],
  ['packages/testkit/src/fine.ts', 'packages/tooling/testing/b.ts'],
]

let root
let violations
beforeAll(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'parley-imports-'))
  const all = [...Object.values(violating), ...allowed]
  for (const path of all.flat().filter((path) => path.includes('/') && !path.startsWith('.'))) write(path, '')
  for (const [from, to] of all) write(from, `export * from '${specifierOf(from, to)}'\n`)
  write('node_modules/pg/package.json', JSON.stringify({ name: 'pg', main: 'index.js' }))
  write('node_modules/pg/index.js', '')
  write('tsconfig.base.json', '{}')
  violations = cruise()
})
afterAll(() => rmSync(root, { recursive: true }))

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function specifierOf(from, to) {
  return to.includes('/') && !to.startsWith('.') ? relative(dirname(from), to).replace(/^(?!\.)/, './') : to
}

function cruise() {
  const cli = inWorkspace('packages/tooling/node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const rules = inWorkspace('packages/tooling/dependency-cruiser.cjs')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cli, '--config', rules, '--output-type', 'json', 'packages', 'services'],
    { cwd: root, encoding: 'utf8' },
  )
  if (!stdout.startsWith('{')) throw new Error(`${stdout}${stderr}`)
  return JSON.parse(stdout).summary.violations.map(({ from, rule }) => [from, rule.name])
}

test.each(Object.entries(violating))('a violation of %s is reported', (rule, [from]) => {
  expect(violations).toContainEqual([from, rule])
})

test.each(allowed)('%s may import %s', (from) => {
  expect(violations.filter(([file]) => file === from)).toEqual([])
})

test('every rule has an example that violates it', () => {
  expect(Object.keys(violating).sort()).toEqual(config.forbidden.map(({ name }) => name).sort())
})
