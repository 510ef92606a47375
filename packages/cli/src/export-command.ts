import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { finished, pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'
import type { Line } from './transfer/parley/format.ts'

type Options = { room?: string[]; out: string; files?: string }

const everyMs = 5_000
const privately = { mode: 0o600 }

/** Adds `export`: rooms with everything in them, as JSON Lines. */
export function addExportCommand(parent: Command, surroundings: Surroundings): void {
  parent
    .command('export')
    .description('write rooms, their members and messages as JSON Lines, which parley import parley takes')
    .option('--room <name...>', 'names of channels or ids of rooms; default: all, direct messages too')
    .option('--out <file>', 'file to write, readable by its owner alone; - for standard output', '-')
    .option('--files <folder>', 'write the attached files into this folder')
    .action((options: Options) => runExport(surroundings, options))
}

async function runExport({ access, write, note, print }: Surroundings, options: Options): Promise<void> {
  const { exportRooms } = await import('./transfer/parley/write-export.ts')
  const { withFleet } = await import('./transfer/fleet.ts')
  const { room = [], out, files } = options
  const fleetAt = access()
  if (files !== undefined) await mkdir(files, { recursive: true, mode: 0o700 })
  const keep =
    files === undefined
      ? undefined
      : (assetId: string, bytes: AsyncIterable<Uint8Array>) =>
          pipeline(bytes, createWriteStream(join(files, assetId), privately))
  let told = Date.now()
  const progress = ({ messages }: { messages: number }) => {
    if (Date.now() - told < everyMs) return
    told = Date.now()
    note(`${messages} messages written`)
  }
  const run = (take: (text: string) => Promise<void>) =>
    withFleet(fleetAt, (fleet) =>
      exportRooms(fleet, { rooms: room, write: (line: Line) => take(`${JSON.stringify(line)}\n`), keep, progress }),
    )
  const done = out === '-' ? await run(write) : await intoFile(out, run)
  const text = `wrote ${done.rooms} rooms, ${done.people} people, ${done.messages} messages and ${done.files} files`
  if (out === '-') note(text)
  else print({ json: { file: out, ...done }, text: `${text} to ${out}` })
}

/** The file is there when it is whole. */
async function intoFile<T>(path: string, run: (take: (text: string) => Promise<void>) => Promise<T>): Promise<T> {
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const stream = createWriteStream(partial, { ...privately, flags: 'wx' })
  try {
    const failed = new Promise<never>((_, reject) => stream.once('error', reject))
    failed.catch(() => undefined)
    const done = await run(async (text) => {
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), failed])
    })
    stream.end()
    await finished(stream)
    await rename(partial, path)
    return done
  } catch (error) {
    stream.destroy()
    await rm(partial, { force: true })
    if (error instanceof Error && 'syscall' in error)
      throw new Failure(exitCodes.refused, 'failed_precondition', `${path} cannot be written: ${error.message}`)
    throw error
  }
}
