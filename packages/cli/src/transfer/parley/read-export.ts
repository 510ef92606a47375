import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { exitCodes, Failure } from '../../failure.ts'
import type { ArchivedFile, ArchivedMessage, ArchivedRoom, ArchiveRecord } from '../archive.ts'
import { fieldsList, fieldsOf, flagOf, isFields, textOf, textsOf, type Fields } from '../fields.ts'
import { fileAt } from '../local-file.ts'
import { formatName, formatVersion, toPreview } from './format.ts'

/** In characters. Limits the memory that a file without line breaks takes. */
const maxLineLength = 16 * 1024 * 1024

const badExport = (message: string) => new Failure(exitCodes.refused, 'bad_archive', message)

export type ParleyArchive = AsyncDisposable & { source: string; records: () => AsyncIterable<ArchiveRecord> }

/** Throws a Failure if the file cannot be read, or is not an export in this version of the format. */
export async function openParley(path: string, filesFolder?: string): Promise<ParleyArchive> {
  const header = await headerOf(path)
  if (header.format !== formatName) throw badExport(`${basename(path)} was not written by parley export`)
  if (textOf(header.server) === '') throw badExport(`${basename(path)} does not name the server it was exported from`)
  if (header.version !== formatVersion)
    throw badExport(
      `${basename(path)} has version ${String(header.version)} of the format; this command reads version ${formatVersion}`,
    )
  return {
    source: `parley:${textOf(header.server)}`,
    records: () => records(path, filesFolder),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function headerOf(path: string): Promise<Fields> {
  for await (const line of linesOf(path)) return fieldsOf(parseJson(line))
  throw badExport(`${basename(path)} is empty`)
}

async function* records(path: string, folder: string | undefined): AsyncGenerator<ArchiveRecord> {
  let number = 0
  let ended = false
  for await (const line of linesOf(path)) {
    const location = `line ${++number}`
    if (line === '' || number === 1) continue
    const fields = parseJson(line)
    if (!isFields(fields)) {
      yield { type: 'skipped', what: 'lines', reason: 'they are not JSON objects', location }
      continue
    }
    if (fields.type === 'end') ended = true
    else yield toRecord(fields, folder, location)
  }
  if (!ended)
    yield {
      type: 'skipped',
      what: 'ends',
      reason: 'the file is truncated: the rest of the export is missing',
      location: `line ${number}`,
    }
}

function toRecord(fields: Fields, folder: string | undefined, location: string): ArchiveRecord {
  const [id, name, description] = [textOf(fields.id), textOf(fields.name), textOf(fields.description)]
  switch (fields.type) {
    case 'person': {
      const login = textOf(fields.login)
      const displayName = textOf(fields.displayName)
      const about = { email: textsOf(fields.emails)[0] ?? '', deleted: flagOf(fields.deleted) }
      return { type: 'person', id, name: login, displayName, ...about, createdAt: timeOf(fields.createdAt), location }
    }
    case 'group':
      return { type: 'group', id, name, description, location }
    case 'room':
      return toRoom(fields, location)
    case 'members':
      return { type: 'members', people: textsOf(fields.people), location }
    case 'message':
      return toMessage(fields, folder, location)
    default:
      return { type: 'skipped', what: 'lines', reason: 'their type is unknown', location }
  }
}

function toRoom(fields: Fields, location: string): ArchivedRoom {
  return {
    type: 'room',
    ...{ id: textOf(fields.id), dm: fields.kind === 'dm', name: textOf(fields.name) },
    ...{ description: textOf(fields.description), groupId: textOf(fields.group) },
    ...{ private: fields.private !== false, universal: flagOf(fields.universal), archived: flagOf(fields.archived) },
    ...{ createdAt: timeOf(fields.createdAt), location },
  }
}

function toMessage(fields: Fields, folder: string | undefined, location: string): ArchiveRecord {
  const createdAt = timeOf(fields.createdAt)
  if (!createdAt) return { type: 'skipped', what: 'messages', reason: 'the time is invalid', location }
  const message: ArchivedMessage = {
    ...{ type: 'message', id: textOf(fields.id), author: textOf(fields.author), createdAt, location },
    ...{ updatedAt: timeOf(fields.updatedAt), deletedAt: timeOf(fields.deletedAt) },
    ...{ text: textOf(fields.body), markup: 'markdown', alsoInChannel: flagOf(fields.alsoInChannel) },
    ...{ threadRoot: textOf(fields.threadRoot), inReplyTo: textOf(fields.inReplyTo) },
    reactions: fieldsList(fields.reactions).map(({ emoji, people }) => {
      return { emoji: textOf(emoji), people: textsOf(people) }
    }),
    files: fieldsList(fields.attachments).map((attachment) => toFile(attachment, folder)),
    preview: isFields(fields.preview) && isWebUrl(fields.preview.url) ? previewOf(fields.preview) : undefined,
  }
  return message
}

const isWebUrl = (url: unknown): boolean => /^https?:/i.test(textOf(url))

const previewOf = ({ url, title, description, siteName, embedType, embedId }: Fields) =>
  toPreview({
    ...{ url: textOf(url), title: textOf(title), description: textOf(description) },
    ...{ siteName: textOf(siteName), embedType: textOf(embedType), embedId: textOf(embedId) },
  })

function toFile({ asset, filename, contentType, size }: Fields, folder: string | undefined): ArchivedFile {
  const id = textOf(asset)
  // A name in the file must not point outside the folder.
  const isSafeName = folder !== undefined && /^[A-Za-z0-9]+$/.test(id)
  const bytes = isSafeName ? () => fileAt(folder, id) : undefined
  const about = { id, name: textOf(filename), contentType: textOf(contentType), bytes }
  return typeof size === 'number' ? { ...about, size } : about
}

const [earliest, latest] = [new Date(0), new Date(Date.UTC(10_000, 0))]

function timeOf(value: unknown): Date | undefined {
  const text = textOf(value)
  const date = new Date(text)
  return text !== '' && date >= earliest && date < latest ? date : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.write(bytes)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineLength) throw badExport(`${basename(path)} has a line that is too long`)
      yield* lines
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw badExport(`${basename(path)} cannot be read`)
  }
  if (rest !== '') yield rest
}
