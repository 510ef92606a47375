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
const withoutBus = ['--direct', 'config', 'doctor', 'status', 'vapid', 'help', '--help', '-h']
if (natsUrl && natsPassword) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  // The password must not be left behind. As the first process of a container this one is not ended by anything else.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
  mkdirSync(join(folder, 'run'))
  writeFileSync(join(folder, 'run/operator.json'), JSON.stringify({ natsUrl, natsUser, natsPassword }), { mode: 0o600 })
  process.env.PARLEY_DATA_DIR = folder
} else if (!process.argv.slice(2).some((word) => withoutBus.includes(word))) {
  console.error('parley: PARLEY_NATS_URL and PARLEY_NATS_PASSWORD must say where the bus is')
  process.exit(2)
}
await import('./packages/cli/dist/main.js')
