import { describe } from '@parley/config'
import { readSettings } from './settings.ts'

/** The output of `--help`. */
export function helpText(): string {
  const settings = describe(readSettings)
  const width = Math.max(...settings.map(({ env }) => env.length))
  const rows = settings.map(({ env, default: value, doc }) => {
    const shown = value === '' ? '' : ` (default ${value})`
    return `  ${env.padEnd(width)} ${doc}${shown}`
  })
  return `Runs a whole Parley fleet on this machine: PostgreSQL, NATS, Redis and every service,
and a media server for calls where livekit-server is on PATH.

Usage: make run            builds first
       OPEN=1 make run       and shows it in a browser
       ./pnpm dev            the same, and starts a service again when its sources change
       ./pnpm dev --open     and shows it in a browser
       ./pnpm dev --seed     and fills it with sample people and rooms

Settings, from the environment or parley.toml:
${rows.join('\n')}

Ctrl-C ends everything and keeps the data; a second Ctrl-C does not wait for running work.
Accounts are made with: ./pnpm parley user create --help
`
}
