import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import { writePrivately, type WritePiece } from './private-file.ts'
import type { Surroundings } from './surroundings.ts'
import { counted } from './transfer/counted.ts'
import type { Line } from './transfer/parley/format.ts'
import type { Exported } from './transfer/parley/write-export.ts'

type Options = { room?: string[]; out: string; files?: string }

const everyMs = 5_000

/** Adds `export`, which writes rooms with their content as JSON Lines. */
export function addExportCommand(parent: Command, surroundings: Surroundings): Command {
  return parent
    .command('export')
    .description('write rooms with their members and messages as JSON Lines, for parley import parley')
    .option('--room <name...>', 'names of channels or ids of rooms; default: all, including direct messages')
    .option('--out <file>', 'file to write, readable only by its owner; - for standard output', '-')
    .option('--files <folder>', 'write the attached files into this folder')
    .action((options: Options) => runExport(surroundings, options))
}

async function runExport({ access, write, note, print, printAside }: Surroundings, options: Options): Promise<void> {
  const { exportRooms } = await import('./transfer/parley/write-export.ts')
  const { withFleet } = await import('./transfer/fleet.ts')
  const { room = [], out, files } = options
  const fleetAt = access()
  const keep = files === undefined ? undefined : await openFolder(files)
  let notedAt = Date.now()
  const progress = ({ messages }: { messages: number }) => {
    if (Date.now() - notedAt < everyMs) return
    notedAt = Date.now()
    note(`${counted(messages, 'messages')} written`)
  }
  const run = (take: WritePiece) =>
    withFleet(fleetAt, (fleet) =>
      exportRooms(fleet, { rooms: room, write: (line: Line) => take(`${JSON.stringify(line)}\n`), keep, progress }),
    )
  const done = out === '-' ? await run(write) : await writePrivately(out, run)
  const [rooms, people, messages, kept] = [
    counted(done.rooms, 'rooms'),
    counted(done.people, 'people'),
    counted(done.messages, 'messages'),
    counted(done.files, 'files'),
  ]
  const text = `wrote ${rooms}, ${people}, ${messages} and ${kept}`
  const missing = missingFiles(done.missing)
  if (out === '-') printAside({ json: done, text: `${text}${missing}` })
  else print({ json: { file: out, ...done }, text: `${text} to ${out}${missing}` })
}

function missingFiles({ files, assets }: Exported['missing']): string {
  if (files === 0) return ''
  const more = files > assets.length ? ` and ${files - assets.length} more` : ''
  return `\n${counted(files, 'files')} could not be written because their bytes are missing: ${assets.join(', ')}${more}`
}

/** Writes files into a folder; a file gets its name when it is complete. */
async function openFolder(path: string) {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new Failure(exitCodes.refused, 'failed_precondition', `${path} cannot be created: ${error.message}`)
  })
  return (assetId: string, bytes: AsyncIterable<Uint8Array>) =>
    writePrivately(join(path, assetId), async (take) => {
      for await (const piece of bytes) await take(piece)
    })
}
