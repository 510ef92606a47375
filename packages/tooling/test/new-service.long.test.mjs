import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { workspace } from '../steps.mjs'

const created = { polls: [], echoes: ['--no-database'] }
const services = Object.keys(created).map((name) => `services/${name}`)
const notCopied = ['.data', '.git', '.turbo', 'dist', 'node_modules', 'profiles']

let copy
beforeAll(() => {
  copy = mkdtempSync(join(realpathSync(tmpdir()), 'parley-new-service-'))
  cpSync(workspace, copy, { recursive: true, filter: (path) => !notCopied.includes(basename(path)) })
  run('pnpm', 'install', '--frozen-lockfile', '--prefer-offline')
  for (const [name, options] of Object.entries(created)) run('pnpm', 'new:service', name, ...options)
}, 600_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function run(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`)
}
const node = (script, ...args) => run(process.execPath, script, ...args)
const tooling = (script, ...args) => node(`packages/tooling/${script}`, ...args)

test.each([...services, 'packages/compact'])('%s has no type errors', (project) => {
  node('node_modules/typescript/bin/tsc', '--noEmit', '-p', `${project}/tsconfig.json`)
})

test.each([
  ['lint', () => node('node_modules/oxlint/bin/oxlint', ...services)],
  ['the check of the format', () => node('node_modules/oxfmt/bin/oxfmt', '--list-different')],
  [
    'the check of imports',
    () =>
      tooling(
        'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
        ...['--config', 'packages/tooling/dependency-cruiser.cjs'],
        ...services.flatMap((service) => [`${service}/src`, `${service}/test`]),
      ),
  ],
  [
    'the check of unused code',
    () => tooling('node_modules/knip/bin/knip.js', '--config', 'packages/tooling/knip.config.js', '--no-progress'),
  ],
  ['the check of the manifest', () => tooling('deployables.mjs', '--check')],
  ['the check of migrations', () => tooling('check-migrations.mjs')],
  ['the check of the table of folders', () => tooling('folders-table.mjs', '--check')],
  ['the check of the tables of settings', () => tooling('config-table.mjs', '--check')],
])('new services pass %s', (_, check) => check())

test('the tests of new services and of the manifest pass', () => {
  run('pnpm', 'jest', ...services, 'packages/contracts/src')
})

test('the original repository is unchanged', () => {
  const manifest = (root) => readFileSync(join(root, 'packages/contracts/src/deployables.ts'), 'utf8')
  for (const name of Object.keys(created)) {
    expect(manifest(copy)).toContain(`\n  ${name}: {\n`)
    expect(manifest(workspace)).not.toContain(`\n  ${name}: {\n`)
  }
})
