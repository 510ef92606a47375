// The operator's command inside the image: finds the bus by the environment instead of by a data folder.
//   node operator.mjs user create --login alice --password-stdin
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const {
  PARLEY_NATS_URL: natsUrl,
  PARLEY_NATS_USER: natsUser = 'operator',
  PARLEY_NATS_PASSWORD: natsPassword,
} = process.env
const words = process.argv.slice(2)
const withoutBus =
  ['config', 'doctor', 'status', 'vapid', 'help'].includes(words.find((word) => !word.startsWith('-'))) ||
  words.some((word) => ['--direct', '--help', '-h'].includes(word))
if (!withoutBus && !(natsUrl && natsPassword)) {
  console.error('parley: set PARLEY_NATS_URL and PARLEY_NATS_PASSWORD, which say how to reach the bus')
  process.exit(2)
}
// As process 1 of a container, this process is ended by signals only if it handles them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
if (!withoutBus) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-'))
  // The password must not be left behind.
  process.on('exit', () => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'run'))
  writeFileSync(join(folder, 'run/operator.json'), JSON.stringify({ natsUrl, natsUser, natsPassword }), { mode: 0o600 })
  process.env.PARLEY_DATA_DIR = folder
}
await import('./packages/cli/dist/main.js')
