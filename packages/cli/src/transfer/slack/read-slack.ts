import { createHash } from 'node:crypto'
import type { ArchiveRecord } from '../archive.ts'
import { fieldsList, fieldsOf, textOf, type Fields } from '../fields.ts'
import { findFiles, type Files } from './files.ts'
import { authorOf, toMessage } from './messages.ts'
import { toPerson, toUnlistedPerson } from './people.ts'
import { removeDuplicates, roomLists, toRoom, type SlackRoom } from './rooms.ts'
import { badArchive, BadEntry, ZipArchive } from './zip-archive.ts'

export type SlackArchive = AsyncDisposable & {
  /** Identifies the workspace; the same for each of its exports. */
  source: string
  records: () => AsyncIterable<ArchiveRecord>
}

/** Throws a Failure when the file is not a workspace export, or the folder of files cannot be read. */
export async function openSlack(path: string, filesFolder?: string): Promise<SlackArchive> {
  const zip = await ZipArchive.open(path)
  try {
    const prefix = prefixOf(zip)
    const users = await listIn(zip, `${prefix}users.json`)
    const rooms = await roomsOf(zip, prefix)
    const files = await findFiles(zip, filesFolder)
    return {
      source: `slack:${workspaceOf(users, rooms)}`,
      records: () => records({ zip, prefix, users, rooms, files }),
      [Symbol.asyncDispose]: () => zip[Symbol.asyncDispose](),
    }
  } catch (error) {
    await zip[Symbol.asyncDispose]()
    throw error
  }
}

/** The folder of the export inside the archive: people who repack an export often include the folder around it. */
function prefixOf(zip: ZipArchive): string {
  const lists = [...zip.names()].filter((name) => /^([^/]+\/)?users\.json$/.test(name))
  const [first] = lists.sort((a, b) => a.length - b.length)
  if (first === undefined) throw badArchive('there is no users.json in the archive: it is not a Slack export')
  return first.slice(0, -'users.json'.length)
}

async function listIn(zip: ZipArchive, name: string): Promise<Fields[]> {
  try {
    const list = await zip.json(name)
    if (!Array.isArray(list)) throw new BadEntry('is not a JSON list')
    return fieldsList(list)
  } catch (error) {
    throw error instanceof BadEntry ? badArchive(`${name} ${error.message}`) : error
  }
}

async function roomsOf(zip: ZipArchive, prefix: string): Promise<SlackRoom[]> {
  const rooms: SlackRoom[] = []
  for (const list of roomLists) {
    const name = `${prefix}${list.file}`
    if (!zip.has(name)) continue
    for (const fields of await listIn(zip, name)) rooms.push(toRoom(fields, list))
  }
  if (rooms.length === 0) throw badArchive('the archive lists no channels, groups or direct messages')
  return rooms
}

/** The team that most users belong to. If no user names one, a digest of the lowest room id. */
function workspaceOf(users: Fields[], rooms: SlackRoom[]): string {
  const teams = new Map<string, number>()
  for (const user of users) {
    const team = textOf(user.team_id) || textOf(fieldsOf(user.profile).team)
    if (team !== '') teams.set(team, (teams.get(team) ?? 0) + 1)
  }
  const [first] = [...teams].sort(([, a], [, b]) => b - a)
  if (first) return first[0]
  const lowestId = rooms.map(({ room }) => room.id).sort()[0] ?? ''
  return createHash('sha256').update(lowestId).digest('hex').slice(0, 16)
}

type OpenArchive = { zip: ZipArchive; prefix: string; users: Fields[]; rooms: SlackRoom[]; files: Files }

async function* records({ zip, prefix, users, rooms, files }: OpenArchive): AsyncGenerator<ArchiveRecord> {
  const aliases = new Map<string, string>()
  const known = new Set<string>()
  for (const user of users) {
    const person = toPerson(user, `users.json: ${textOf(user.id)}`)
    if (person.id === '') yield { type: 'skipped', what: 'people', reason: 'they have no id', location: 'users.json' }
    if (person.id === '' || known.has(person.id)) continue
    known.add(person.id)
    const botId = textOf(fieldsOf(user.profile).bot_id)
    if (botId !== '') aliases.set(botId, person.id)
    yield person
  }
  const days = daysByFolder(zip, prefix)
  const folders = foldersOf(rooms, days)
  for (const { room, members } of removeDuplicates(rooms)) {
    if (room.id === '') {
      yield { type: 'skipped', what: 'rooms', reason: 'they have no id', location: room.location }
      continue
    }
    // A direct message keeps all its participants, also those who are not in the list of users.
    for (const id of room.dm ? members.filter((id) => !known.has(id)) : []) {
      known.add(id)
      yield toUnlistedPerson(id, {}, room.location)
    }
    yield room
    yield { type: 'members', people: members, location: room.location }
    const folder = folders.get(room.id) ?? ''
    for (const day of (days.get(folder) ?? []).sort()) {
      for (const record of await readDay(zip, prefix, day, files)) {
        if (record.type !== 'day-message') {
          yield record
          continue
        }
        const { message, fields } = record
        const author = aliases.get(message.author) ?? message.author
        if (!known.has(author)) {
          known.add(author)
          yield toUnlistedPerson(author, fields, message.location)
        }
        yield {
          ...message,
          author,
          threadRoot: room.dm ? '' : message.threadRoot,
          inReplyTo: room.dm ? message.threadRoot : '',
        }
      }
    }
  }
  const usedFolders = new Set(folders.values())
  const reason = 'their folder matches no room, or more than one'
  for (const [folder, paths] of days) {
    if (usedFolders.has(folder)) continue
    for (const path of paths) yield { type: 'skipped', what: 'days', reason, location: path.slice(prefix.length) }
  }
}

/** A folder is named after the room or its id. A name that several rooms share is ignored. */
function foldersOf(rooms: readonly SlackRoom[], days: ReadonlyMap<string, unknown>): Map<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const { room, folder } of rooms) {
    const ids = owners.get(folder) ?? new Set()
    owners.set(folder, ids.add(room.id))
  }
  return new Map(
    rooms.flatMap(({ room, folder }) => {
      if (days.has(folder) && owners.get(folder)?.size === 1) return [[room.id, folder]]
      return days.has(room.id) && !owners.has(room.id) ? [[room.id, room.id]] : []
    }),
  )
}

function daysByFolder(zip: ZipArchive, prefix: string): Map<string, string[]> {
  const days = new Map<string, string[]>()
  for (const name of zip.names()) {
    if (!name.startsWith(prefix)) continue
    const [, folder] = /^([^/]+)\/\d{4}-\d{2}-\d{2}\.json$/.exec(name.slice(prefix.length)) ?? []
    if (folder === undefined) continue
    const paths = days.get(folder)
    if (paths) paths.push(name)
    else days.set(folder, [name])
  }
  return days
}

type DayMessage = { type: 'day-message'; message: Extract<ArchiveRecord, { type: 'message' }>; fields: Fields }
type DayRecord = DayMessage | Extract<ArchiveRecord, { type: 'skipped' }>

/** Oldest first. */
async function readDay(zip: ZipArchive, prefix: string, name: string, files: Files): Promise<DayRecord[]> {
  const location = name.slice(prefix.length)
  try {
    const day = await zip.json(name)
    if (!Array.isArray(day)) throw new BadEntry('is not a list of messages')
    const seen = new Set<string>()
    return (day as unknown[])
      .map((message, index) => ({ fields: fieldsOf(message), location: `${location}#${index + 1}` }))
      .sort((a, b) => secondsIn(a.fields) - secondsIn(b.fields))
      .map(({ fields, location }): DayRecord => {
        const ts = textOf(fields.ts)
        if (ts !== '' && seen.has(ts))
          return {
            type: 'skipped',
            what: 'messages',
            reason: 'another message of the room has the same time',
            location,
          }
        seen.add(ts)
        const message = toMessage({ ...fields, user: authorOf(fields) }, files, location)
        return message.type === 'message' ? { type: 'day-message', message, fields } : message
      })
  } catch (error) {
    if (!(error instanceof BadEntry)) throw error
    return [{ type: 'skipped', what: 'days', reason: `the file ${error.message}`, location }]
  }
}

const secondsIn = ({ ts }: Fields): number => Number(textOf(ts)) || 0
