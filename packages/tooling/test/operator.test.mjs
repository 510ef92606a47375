import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'

const image = mkdtempSync(join(tmpdir(), 'parley-operator-'))
afterAll(() => rmSync(image, { recursive: true, force: true }))
const command = join(image, 'packages/cli/dist/main.js')
const temporary = join(image, 'tmp')
mkdirSync(dirname(command), { recursive: true })
mkdirSync(temporary)
copyFileSync(fileURLToPath(new URL('../../../deploy/operator.mjs', import.meta.url)), join(image, 'operator.mjs'))
// A fake of the command, which lists the temporary files.
writeFileSync(command, `console.log(require('fs').readdirSync('${temporary}', { recursive: true }).join())\n`)

const bus = { PARLEY_NATS_URL: 'nats://nats:4222', PARLEY_NATS_PASSWORD: 'password-of-rooms' }
const run = (args, env) =>
  spawnSync(process.execPath, ['operator.mjs', ...args], {
    cwd: image,
    env: { TMPDIR: temporary, ...env },
    encoding: 'utf8',
  })

test('the password of the bus is in a temporary file only while a command uses the bus', () => {
  for (const args of [
    ['doctor', 'rooms'],
    ['--json', 'status'],
    ['config', 'rooms'],
    ['user', 'create', '--direct'],
  ])
    expect(run(args, bus)).toMatchObject({ status: 0, stdout: '\n' })
  for (const args of [
    ['owner', 'create'],
    ['session', 'list', '--login', 'doctor'],
  ])
    expect(run(args, bus)).toMatchObject({ status: 0, stdout: expect.stringContaining('operator.json') })
  expect(run(['doctor'], bus).stdout).toBe('\n')
})

test('only commands that use the bus need its address and password', () => {
  expect(run(['doctor', 'rooms'], {})).toMatchObject({ status: 0 })
  expect(run(['owner', 'create'], {})).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('PARLEY_NATS_PASSWORD'),
  })
})
