import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import { writePrivately, type WritePiece } from './private-file.ts'
import type { CommandContext } from './command-context.ts'
import { formatCount } from './transfer/format-count.ts'
import type { Line } from './transfer/parley/format.ts'
import type { Exported } from './transfer/parley/write-export.ts'

type Options = { room?: string[]; out: string; files?: string }

const progressIntervalMs = 5_000

export function addExportCommand(parent: Command, context: CommandContext): Command {
  return parent
    .command('export')
    .description('write rooms with their members and messages as JSON Lines, for parley import parley')
    .option('--room <name...>', 'names of channels or ids of rooms; default: all, including direct messages')
    .option('--out <file>', 'file to write, readable only by its owner; - for standard output', '-')
    .option('--files <folder>', 'write the attached files into this folder')
    .action((options: Options) => runExport(context, options))
}

async function runExport({ access, write, note, print, printAside }: CommandContext, options: Options): Promise<void> {
  const { exportRooms } = await import('./transfer/parley/write-export.ts')
  const { withFleet } = await import('./transfer/fleet.ts')
  const { room = [], out, files } = options
  const operatorAccess = access()
  const saveFile = files === undefined ? undefined : await openFolder(files)
  let reportedAt = Date.now()
  const progress = ({ messages }: { messages: number }) => {
    if (Date.now() - reportedAt < progressIntervalMs) return
    reportedAt = Date.now()
    note(`${formatCount(messages, 'messages')} written`)
  }
  const run = (take: WritePiece) =>
    withFleet(operatorAccess, (fleet) =>
      exportRooms(fleet, { rooms: room, write: (line: Line) => take(`${JSON.stringify(line)}\n`), saveFile, progress }),
    )
  const done = out === '-' ? await run(write) : await writePrivately(out, run)
  const [rooms, people, messages, saved] = [
    formatCount(done.rooms, 'rooms'),
    formatCount(done.people, 'people'),
    formatCount(done.messages, 'messages'),
    formatCount(done.files, 'files'),
  ]
  const text = `wrote ${rooms}, ${people}, ${messages} and ${saved}`
  const missing = missingFiles(done.missing)
  if (out === '-') printAside({ json: done, text: `${text}${missing}` })
  else print({ json: { file: out, ...done }, text: `${text} to ${out}${missing}` })
}

function missingFiles({ files, assets }: Exported['missing']): string {
  if (files === 0) return ''
  const more = files > assets.length ? ` and ${files - assets.length} more` : ''
  return `\n${formatCount(files, 'files')} could not be written because their bytes are missing: ${assets.join(', ')}${more}`
}

async function openFolder(path: string) {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new Failure(exitCodes.refused, 'failed_precondition', `${path} cannot be created: ${error.message}`)
  })
  return (assetId: string, bytes: AsyncIterable<Uint8Array>) =>
    writePrivately(join(path, assetId), async (take) => {
      for await (const piece of bytes) await take(piece)
    })
}
