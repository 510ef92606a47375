import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/** Folder of programs installed only for this checkout. pnpm does not touch hidden folders in node_modules. */
export const cache = join(root, 'node_modules/.parley')

export const bin = join(cache, 'bin')

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export const environment = () => ({
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  CI: 'true',
  TURBO_TELEMETRY_DISABLED: '1',
  NO_UPDATE_NOTIFIER: '1',
  npm_config_update_notifier: 'false',
})
