import type { Command } from 'commander'
import { misused } from './failure.ts'
import { writePrivately } from './private-file.ts'
import type { CommandContext } from './command-context.ts'
import type { ArchiveRecord } from './transfer/archive.ts'
import { formatCount } from './transfer/format-count.ts'

type Options = { group: string; match: string; files?: string; report?: string; source?: string }
type Archive = AsyncDisposable & { source: string; records: () => AsyncIterable<ArchiveRecord> }

const progressIntervalMs = 5_000

export function addImportCommands(parent: Command, context: CommandContext): void {
  const addKind = (name: string, about: string, open: (path: string, files?: string) => Promise<Archive>) =>
    parent
      .command(name)
      .argument('<file>', 'the archive')
      .description(about)
      .option('--group <name>', 'group for rooms without a group', 'Imported')
      .option(
        '--match <by>',
        'how people are matched with accounts: "email" uses the account with the same verified address, "none" creates new accounts',
        'email',
      )
      .option('--files <folder>', 'folder with the files that the archive itself does not contain')
      .option('--report <file>', 'write the report as JSON to this file')
      .option(
        '--source <name>',
        'name under which the import is recorded (default: the workspace or server of the archive)',
      )
      .action(async (path: string, options: Options) => runImport(context, await open(path, options.files), options))

  addKind(
    'slack',
    'import an export of a Slack workspace (.zip); run it again to continue an interrupted import',
    async (path, files) => {
      const { openSlack } = await import('./transfer/slack/read-slack.ts')
      return openSlack(path, files)
    },
  )

  addKind('parley', 'import a file written by parley export (.jsonl)', async (path, files) => {
    const { openParley } = await import('./transfer/parley/read-export.ts')
    return openParley(path, files)
  })
}

async function runImport({ access, note, print }: CommandContext, opened: Archive, options: Options): Promise<void> {
  await using archive = opened
  if (options.match !== 'email' && options.match !== 'none') throw misused('--match must be "email" or "none"')
  const { Report } = await import('./transfer/report.ts')
  const { importArchive } = await import('./transfer/import-archive.ts')
  const { withFleet } = await import('./transfer/fleet.ts')
  const report = new Report()
  let reportedAt = Date.now()
  const progress = ({ room, messages }: { room: string; messages: number }) => {
    if (Date.now() - reportedAt < progressIntervalMs) return
    reportedAt = Date.now()
    note(`${formatCount(messages, 'messages')} read, now in ${room === '' ? 'a direct message' : room}`)
  }
  const source = options.source ?? archive.source
  const { group, match } = options
  const finish = async (complete: boolean) => {
    const json = { source, complete, ...report.toJson() }
    print({ json, text: report.toText() })
    if (options.report !== undefined)
      await writePrivately(options.report, (take) => take(`${JSON.stringify(json, undefined, 2)}\n`))
  }
  try {
    await withFleet(access(), (fleet) =>
      importArchive(fleet, archive.records(), { source, group, matchEmails: match === 'email', report, progress }),
    )
  } catch (error) {
    // Report what was imported before the failure.
    await finish(false)
    throw error
  }
  await finish(true)
}
