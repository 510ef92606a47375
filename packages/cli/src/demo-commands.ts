import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import type { CommandContext } from './command-context.ts'

export function addDemoCommands(parent: Command, { access, withOperator, print, dataDir }: CommandContext): void {
  const file = () => join(dataDir(), 'demo.json')

  parent
    .command('create', { isDefault: true })
    .description(
      'create sample people, threads and files, in rooms of which everybody is a member (default); run it again to continue an interrupted run',
    )
    .action(async () => {
      const { demoRecords } = await import('./transfer/demo/records.ts')
      const { importArchive } = await import('./transfer/import-archive.ts')
      const { Report } = await import('./transfer/report.ts')
      const { withFleet } = await import('./transfer/fleet.ts')
      const fleetAccess = access()
      const source = sourceIn(file()) ?? `demo-${randomBytes(4).toString('hex')}`
      writeFileSync(file(), JSON.stringify({ source }))
      const report = new Report()
      const options = { source, group: '', matchEmails: false, report, progress: () => undefined }
      await withFleet(fleetAccess, (fleet) => importArchive(fleet, demoRecords(new Date()), options))
      print({ json: { source, ...report.toJson() }, text: report.toText() })
    })

  parent
    .command('remove')
    .description('delete the sample accounts, everything they wrote and their group; archive their rooms')
    .action(async () => {
      const fleetAccess = access()
      const source = sourceIn(file())
      if (source === undefined)
        throw new Failure(exitCodes.refused, 'not_found', 'there is no sample content to remove')
      const { removeDemo } = await import('./transfer/demo/remove.ts')
      const { withFleet } = await import('./transfer/fleet.ts')
      const { logins, rooms, group } = await withFleet(fleetAccess, (fleet) => removeDemo(fleet, source))
      for (const login of logins) await withOperator((operator) => operator.deleteUser({ login }))
      rmSync(file())
      const text = [
        `deleted ${logins.length} accounts with everything they wrote`,
        groupLines[group],
        ...(rooms.length === 0
          ? []
          : [
              `archived ${rooms.join(', ')}: rooms cannot be deleted, because others may have written in them; only the administration still lists them, under "archived rooms"`,
            ]),
      ].join('\n')
      print({ json: { deleted: logins, groupDeleted: group === 'deleted', archived: rooms }, text })
    })
}

const groupLines = {
  deleted: 'deleted their group',
  kept: 'kept their group: it has other rooms or links, it is the only group, or the rooms service is of an earlier release that cannot delete groups',
  none: 'found no group that was created for them',
}

function sourceIn(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const { source } = JSON.parse(readFileSync(file, 'utf8')) as { source?: unknown }
  return typeof source === 'string' ? source : undefined
}
