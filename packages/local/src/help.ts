import { describe } from '@parley/config'
import { readSettings } from './settings.ts'

export function helpText(): string {
  const settings = describe(readSettings)
  const width = Math.max(...settings.map(({ env }) => env.length))
  const rows = settings.map(({ env, default: value, doc }) => {
    const shown = value === '' ? '' : ` (default ${value})`
    return `  ${env.padEnd(width)} ${doc}${shown}`
  })
  return `Runs a whole Parley fleet on this machine: PostgreSQL, NATS, Redis and every service,
and a media server for calls if livekit-server is on PATH.

Usage: make run              builds and starts the fleet
       OPEN=1 make run       also opens it in a browser
       ./pnpm dev            also restarts a service when its sources change
       ./pnpm dev --open     also opens it in a browser
       ./pnpm dev --seed     also fills it with sample people and rooms

Settings, from the environment or parley.toml:
${rows.join('\n')}

Ctrl-C stops everything and keeps the data; a second Ctrl-C stops without waiting for running work.
To create accounts: ./pnpm parley user create --help
`
}
