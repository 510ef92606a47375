import { serviceNames } from '@parley/local/known'
import type { EffectiveSetting } from '@parley/config'
import type { Command } from 'commander'
import { misused } from './failure.ts'
import { environmentInFolder } from './environment-in-folder.ts'
import { outputOf } from './programs.ts'
import type { CommandContext } from './command-context.ts'

export function addConfigCommand(parent: Command, { print, dataDir, env }: CommandContext): void {
  parent
    .command('config')
    .argument('[service]', `one of ${serviceNames.join(', ')}; default: all`)
    .description('print the effective configuration of services, secrets hidden')
    .action(async (service?: string) => {
      if (service !== undefined && !serviceNames.includes(service)) throw misused(`there is no service ${service}`)
      const wanted = service === undefined ? serviceNames : [service]
      const settings = Object.fromEntries(
        await Promise.all(wanted.map(async (name) => [name, await settingsOf(name, dataDir(), env)] as const)),
      )
      const text = Object.entries(settings).map(([name, rows]) => [`# ${name}`, ...rows.map(line)].join('\n'))
      print({ json: { services: settings }, text: text.join('\n\n') })
    })
}

/** The settings that the fleet on the data folder gives to a service; if none has run there, those of this command. */
async function settingsOf(service: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<EffectiveSetting[]> {
  const known = environmentInFolder(dataDir, service, env)
  const rows = JSON.parse(await outputOf(service, 'print-config', known ?? env)) as EffectiveSetting[]
  return rows.map((row) =>
    row.source === 'environment' && known?.[row.env] !== env[row.env] ? { ...row, source: 'this fleet' } : row,
  )
}

function line({ name, env, toml, value, source, mistake }: EffectiveSetting): string {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return `${env || toml || name}=${value === null ? '' : shown}  (${mistake ?? source})`
}
