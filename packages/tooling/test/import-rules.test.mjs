import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import config from '../dependency-cruiser.cjs'
import { inWorkspace } from '../steps.mjs'

const rooms = 'services/rooms/src'
const layers = config.forbidden.map(({ name }) => name).filter((name) => name.startsWith('layer-'))

/** For each import rule an import that violates it: the importing file, and the imported file or library. */
const faults = {
  ...Object.fromEntries(layers.map((rule) => [rule, [`packages/${rule.slice(6)}/src/a.ts`, 'packages/cli/src/b.ts']])),
  'client-knows-the-contract-only': ['packages/client/src/a.ts', 'packages/ids/src/b.ts'],
  'web-knows-the-client-only': ['packages/web/src/a.ts', 'packages/contracts/src/b.ts'],
  'nothing-stands-on-the-tops': ['packages/cli/src/a.ts', 'packages/loadtest/src/b.ts'],
  'packages-know-no-service': ['packages/cli/src/c.ts', `${rooms}/config.ts`],
  'no-service-imports-a-service': ['services/calls/src/rpc/a.ts', `${rooms}/config.ts`],
  'services-stand-on-the-layers': [`${rooms}/rpc/a.ts`, 'packages/testkit/src/b.ts'],
  'no-circles': [`${rooms}/domain/a.ts`, `${rooms}/domain/a.ts`],
  'pure-parts-stay-pure': [`${rooms}/view/a.ts`, `${rooms}/store/b.ts`],
  'pure-parts-know-no-way-in-or-out': [`${rooms}/policy/a.ts`, `${rooms}/clients/b.ts`],
  'every-folder-is-known': [`${rooms}/helpers/a.ts`, `${rooms}/domain/b.ts`],
  'actions-know-no-way-in': [`${rooms}/actions/topic/a.ts`, `${rooms}/jobs/b.ts`],
  'http-and-sockets-call-actions': [`${rooms}/http/a.ts`, `${rooms}/store/b.ts`],
  'ways-out-know-nothing-above-them': [`${rooms}/store/a.ts`, `${rooms}/actions/topic/b.ts`],
  'engines-have-one-way-in': [`${rooms}/actions/topic/c.ts`, `${rooms}/engines/one/inside.ts`],
  'engines-know-each-other-by-one-way-in': [`${rooms}/engines/two/a.ts`, `${rooms}/engines/one/inside.ts`],
  'store-and-clients-know-no-context': [`${rooms}/clients/a.ts`, `${rooms}/context.ts`],
  'handlers-do-not-import-each-other': [`${rooms}/rpc/room/a.ts`, `${rooms}/rpc/room/b.ts`],
  'sql-stays-in-the-store': [`${rooms}/domain/c.ts`, 'pg'],
  'production-needs-no-test': ['packages/ids/src/d.ts', 'packages/ids/src/b.test.ts'],
  resolvable: ['packages/ids/src/e.ts', './nowhere.ts'],
}
/** Imports that are allowed. */
const faultless = [
  [`${rooms}/http/fine.ts`, `${rooms}/actions/topic/b.ts`],
  [`${rooms}/actions/topic/fine.ts`, `${rooms}/store/b.ts`],
  [`${rooms}/actions/topic/engine.ts`, `${rooms}/engines/one/index.ts`],
  ['packages/testkit/src/fine.ts', 'packages/tooling/testing/b.ts'],
]

let root
let violations
beforeAll(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'parley-imports-'))
  const all = [...Object.values(faults), ...faultless]
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

test.each(Object.entries(faults))('%s is reported', (rule, [from]) => {
  expect(violations).toContainEqual([from, rule])
})

test.each(faultless)('%s may import %s', (from) => {
  expect(violations.filter(([file]) => file === from)).toEqual([])
})

test('every rule has an example that violates it', () => {
  expect(Object.keys(faults).sort()).toEqual(config.forbidden.map(({ name }) => name).sort())
})
