import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from '@jest/globals'
import { writeZip } from '@parley/testkit'
import type { ArchivedMessage, ArchivedPerson, ArchivedRoom, ArchiveRecord, Skipped } from '../src/transfer/archive.ts'
import { openSlack } from '../src/transfer/slack/read-slack.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-slack-archive-'))
afterAll(() => rmSync(folder, { recursive: true }))

const users = [
  {
    id: 'U1',
    team_id: 'T1',
    name: 'ada',
    created: 1500000000,
    profile: { display_name: 'Ada L', email: 'ada@example.org' },
  },
  {
    id: 'U2',
    team_id: 'T1',
    name: 'gone',
    deleted: true,
    profile: { real_name: 'Long Gone', email: 'gone@example.org' },
  },
  { id: 'U3', team_id: 'T1', name: 'robot', is_bot: true, profile: { real_name: 'Robot', bot_id: 'B3' } },
]
const channels = [
  {
    id: 'C1',
    name: 'tea',
    created: 1500000000,
    members: ['U1', 'U2'],
    topic: { value: 'Tea' },
    purpose: { value: 'Drink' },
  },
]
const ts = (second: number) => `15000${String(second).padStart(5, '0')}.000100`
const said = (second: number, more: object = {}) => ({
  type: 'message',
  user: 'U1',
  ts: ts(second),
  text: `said ${second}`,
  ...more,
})

let archives = 0
async function read(
  files: Record<string, unknown>,
  filesFolder?: string,
): Promise<{ source: string; records: ArchiveRecord[] }> {
  const path = join(folder, `${archives++}.zip`)
  await writeZip(path, files)
  await using archive = await openSlack(path, filesFolder)
  const records: ArchiveRecord[] = []
  for await (const record of archive.records()) records.push(record)
  return { source: archive.source, records }
}
const day = async (messages: unknown, more: Record<string, unknown> = {}, filesFolder?: string) =>
  read({ 'users.json': users, 'channels.json': channels, 'tea/2017-07-14.json': messages, ...more }, filesFolder)
const of = <T extends ArchiveRecord['type']>(records: ArchiveRecord[], type: T) =>
  records.filter((record): record is Extract<ArchiveRecord, { type: T }> => record.type === type)
const messagesOf = async (...messages: unknown[]): Promise<ArchivedMessage[]> =>
  of((await day(messages)).records, 'message')
const skippedOf = async (...messages: unknown[]): Promise<Skipped[]> => of((await day(messages)).records, 'skipped')

describe('a Slack export', () => {
  test('lists its workspace, people and rooms', async () => {
    const { source, records } = await read({
      'users.json': users,
      'channels.json': channels,
      'groups.json': [{ id: 'G1', name: 'secret', is_archived: true, members: ['U1'] }],
      'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
      'mpims.json': [{ id: 'G2', name: 'mpdm-many', members: Array.from({ length: 11 }, (_, index) => `U${index}`) }],
    })
    expect(source).toBe('slack:T1')
    expect(of(records, 'person')).toMatchObject([
      { id: 'U1', name: 'ada', displayName: 'Ada L', email: 'ada@example.org', deleted: false },
      { id: 'U2', name: 'gone', displayName: 'Long Gone', email: '' },
      { id: 'U3', name: 'robot', displayName: 'Robot', email: '' },
    ] satisfies Partial<ArchivedPerson>[])
    expect(of(records, 'room')).toMatchObject([
      { id: 'C1', dm: false, private: false, name: 'tea', description: 'Tea | Drink', archived: false },
      { id: 'G1', dm: false, private: true, archived: true },
      { id: 'G2', dm: false, private: true },
      { id: 'D1', dm: true, private: true },
    ] satisfies Partial<ArchivedRoom>[])
    expect(of(records, 'members')[0]).toMatchObject({ people: ['U1', 'U2'] })
  })

  test('treats a channel as private if any list says so', async () => {
    const { records } = await read({
      'users.json': users,
      'channels.json': [
        { id: 'C1', name: 'twice', members: [] },
        { id: 'C2', name: 'marked', is_private: true },
      ],
      'groups.json': [{ id: 'C1', name: 'twice', members: ['U1'] }],
    })
    expect(of(records, 'room').map(({ id, private: closed }) => [id, closed])).toEqual([
      ['C1', true],
      ['C2', true],
    ])
    expect(of(records, 'members')[0]).toMatchObject({ people: ['U1'] })
  })

  test('keeps participants of a direct message who are not in the list of users', async () => {
    const { records } = await read({
      'users.json': users,
      'dms.json': [{ id: 'D1', members: ['U1', 'W7'] }],
      'D1/2017-07-14.json': [said(1)],
    })
    expect(of(records, 'person').at(-1)).toMatchObject({ id: 'W7', name: 'W7' })
    expect(records.findIndex(({ type }) => type === 'room')).toBe(4)
  })

  test('finds folders whose names were stored with decomposed letters', async () => {
    const { records } = await read({
      'users.json': users,
      'channels.json': [{ id: 'C1', name: 'k\u00fcche' }],
      'ku\u0308che/2017-07-14.json': [said(1)],
    })
    expect(of(records, 'message')).toHaveLength(1)
  })

  test('may be packed with the folder around it', async () => {
    const { records } = await read({
      'export/users.json': users,
      'export/channels.json': channels,
      'export/tea/2017-07-14.json': [said(1)],
    })
    expect(of(records, 'message')).toHaveLength(1)
  })

  test('has its messages in chronological order, within a day and across days', async () => {
    const { records } = await day([said(3), said(1)], {
      'tea/2017-07-15.json': [said(9)],
      'tea/2017-07-13.json': [said(0)],
    })
    expect(of(records, 'message').map(({ text }) => text)).toEqual(['said 0', 'said 1', 'said 3', 'said 9'])
    expect(of(records, 'message')[1]).toMatchObject({
      location: 'tea/2017-07-14.json#2',
      createdAt: new Date(1500000001000),
    })
  })
})

describe('a message', () => {
  test('may be a reply, shown in the channel too, edited and reacted to', async () => {
    const reply = { thread_ts: ts(1), subtype: 'thread_broadcast', edited: { user: 'U1', ts: ts(5) } }
    const reactions = [{ name: '+1', users: ['U2'], count: 1 }]
    expect(await messagesOf(said(1, { thread_ts: ts(1) }), said(2, { ...reply, reactions }))).toMatchObject([
      { threadRoot: '', alsoInChannel: false, reactions: [] },
      {
        ...{ threadRoot: ts(1), alsoInChannel: true, updatedAt: new Date(1500000005000) },
        reactions: [{ emoji: '+1', people: ['U2'] }],
      },
    ])
  })

  test('in a thread of a direct message becomes a reply outside a thread', async () => {
    const { records } = await read({
      'users.json': users,
      'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
      'D1/2017-07-14.json': [said(1), said(2, { thread_ts: ts(1) })],
    })
    expect(of(records, 'message')[1]).toMatchObject({ threadRoot: '', inReplyTo: ts(1) })
  })

  test('with the subtype me_message is in italics', async () => {
    expect(await messagesOf(said(1, { subtype: 'me_message', text: 'waves' }))).toMatchObject([{ text: '_waves_' }])
  })

  test('with the subtype tombstone becomes a deleted message', async () => {
    const tombstone = said(1, { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' })
    expect(await messagesOf(tombstone)).toMatchObject([{ text: '', deletedAt: new Date(1500000001000) }])
  })

  test('of a bot has the bot user as author, or a person made from the message', async () => {
    const { records } = await day([
      { type: 'message', subtype: 'bot_message', bot_id: 'B3', ts: ts(1), text: 'built' },
      {
        type: 'message',
        subtype: 'bot_message',
        bot_id: 'B9',
        username: 'deployer',
        ts: ts(2),
        attachments: [{ fallback: 'deployed' }],
      },
      { type: 'message', subtype: 'bot_message', username: 'weather', ts: ts(3), text: 'rain' },
    ])
    expect(of(records, 'message').map(({ author, text }) => [author, text])).toEqual([
      ['U3', 'built'],
      ['B9', 'deployed'],
      ['bot:weather', 'rain'],
    ])
    expect(of(records, 'person').slice(3)).toMatchObject([{ name: 'deployer' }, { name: 'weather' }])
  })

  test('of a member of another workspace gives their name', async () => {
    const { records } = await day([said(1, { user: 'W1', user_profile: { name: 'eve', real_name: 'Eve E' } })])
    expect(of(records, 'person').at(-1)).toMatchObject({ id: 'W1', name: 'eve', displayName: 'Eve E' })
  })

  test('gets the bytes of its files, by their id, from the archive or a folder', async () => {
    const files = [
      { id: 'F0000001', name: 'a.txt', mimetype: 'text/plain' },
      { id: 'F0000002', name: 'b.txt', mimetype: 'text/plain' },
      { id: 'F0000003', name: 'c.txt', mimetype: 'text/plain' },
    ]
    mkdirSync(join(folder, 'files/F0000002'), { recursive: true })
    writeFileSync(join(folder, 'files/F0000002/b.txt'), 'from the folder')
    const inside = { '__uploads/F0000001/a.txt': 'from the archive' }
    const path = join(folder, 'files.zip')
    await writeZip(path, {
      'users.json': users,
      'channels.json': channels,
      'tea/2017-07-14.json': [said(1, { files })],
      ...inside,
    })
    await using archive = await openSlack(path, join(folder, 'files'))
    for await (const record of archive.records()) {
      if (record.type !== 'message') continue
      const contents = record.files.map(async ({ bytes }) => bytes && text(Readable.from((await bytes()).stream)))
      expect(await Promise.all(contents)).toEqual(['from the archive', 'from the folder', undefined])
    }
  })
})

test('a link in a folder of files is not followed', async () => {
  const links = join(folder, 'links')
  mkdirSync(links)
  symlinkSync('/etc/passwd', join(links, 'F0000001-a.txt'))
  // Links to a folder outside, and a circular link.
  const outside = join(folder, 'outside')
  mkdirSync(join(outside, 'F0000003'), { recursive: true })
  writeFileSync(join(outside, 'F0000003', 'c.txt'), 'a secret')
  writeFileSync(join(outside, 'b.txt'), 'a secret')
  symlinkSync(outside, join(links, 'F0000002'))
  symlinkSync(outside, join(links, 'plain'))
  symlinkSync(links, join(links, 'round'))
  const ids = ['F0000001', 'F0000002', 'F0000003']
  const { records } = await day([said(1, { files: ids.map((id) => ({ id, name: 'a.txt' })) })], {}, links)
  const files = of(records, 'message')[0]?.files ?? []
  expect(files.map(({ id, bytes }) => [id, bytes])).toEqual(ids.map((id) => [id, undefined]))
})

test('the folder of files may itself be a link', async () => {
  const named = join(folder, 'named')
  mkdirSync(join(folder, 'there', 'F0000001'), { recursive: true })
  writeFileSync(join(folder, 'there', 'F0000001', 'a.txt'), 'a plan')
  symlinkSync(join(folder, 'there'), named)
  const { records } = await day([said(1, { files: [{ id: 'F0000001', name: 'a.txt' }] })], {}, named)
  const [file] = of(records, 'message')[0]?.files ?? []
  expect((await file?.bytes?.())?.size).toBe(6)
})

test('a link that replaces a folder is not followed', async () => {
  const there = join(folder, 'swapped')
  mkdirSync(join(there, 'F0000001'), { recursive: true })
  writeFileSync(join(there, 'F0000001', 'a.txt'), 'a plan')
  const { records } = await day([said(1, { files: [{ id: 'F0000001', name: 'a.txt' }] })], {}, there)
  const [file] = of(records, 'message')[0]?.files ?? []
  rmSync(join(there, 'F0000001'), { recursive: true })
  mkdirSync(join(folder, 'private'))
  writeFileSync(join(folder, 'private', 'a.txt'), 'a secret')
  symlinkSync(join(folder, 'private'), join(there, 'F0000001'))
  await expect(file?.bytes?.()).rejects.toThrow('symbolic link')
})

describe('records that are not imported are reported:', () => {
  test.each([
    ['a notice about the room', said(1, { subtype: 'channel_join' }), 'notices'],
    ['an invalid time', said(1, { ts: 'yesterday' }), 'messages'],
    ['a time long ago', said(1, { ts: '0000000001.000000' }), 'messages'],
    ['a time in the future', said(1, { ts: '99999999999.000000' }), 'messages'],
    ['no author', said(1, { user: undefined }), 'messages'],
    ['nothing but blocks', said(1, { text: '', blocks: [{ type: 'divider' }] }), 'messages'],
  ])('%s', async (_, message, what) => {
    expect(await skippedOf(message)).toMatchObject([{ what, location: 'tea/2017-07-14.json#1' }])
  })

  test.each([
    ['no list', { ok: true }, 'the file is not a list of messages'],
    [
      'too many values for memory',
      `[${'{},'.repeat(5_000_001)}{}]`,
      'the file contains more than 5000000 commas, brackets and braces',
    ],
    ['extreme compression', ' '.repeat(17 * 1024 * 1024), 'the file unpacks to more than 200 times its size'],
  ])('a day with %s', async (_, content, reason) => {
    expect(of((await day(content)).records, 'skipped')).toMatchObject([{ what: 'days', reason }])
  })

  test('a day that was damaged after it was compressed', async () => {
    const path = join(folder, 'flipped.zip')
    await writeZip(path, {
      ...{ 'users.json': users, 'channels.json': channels },
      'tea/2017-07-14.json': [said(1, { text: 'pay 1000' })],
    })
    const { readFile, writeFile } = await import('node:fs/promises')
    const sum = (bytes: string) => {
      const four = Buffer.alloc(4)
      four.writeUInt32LE(crc32(bytes))
      return four
    }
    const bytes = await readFile(path)
    const real = sum(JSON.stringify([said(1, { text: 'pay 1000' })]))
    const other = sum(JSON.stringify([said(1, { text: 'pay 9000' })]))
    for (let at = bytes.indexOf(real); at >= 0; at = bytes.indexOf(real, at + 1)) other.copy(bytes, at)
    await writeFile(path, bytes)
    await using archive = await openSlack(path)
    const records: ArchiveRecord[] = []
    for await (const record of archive.records()) records.push(record)
    expect(of(records, 'skipped')).toMatchObject([{ what: 'days', reason: 'the file is damaged' }])
  })

  test('a day that is larger unpacked than declared', async () => {
    const path = join(folder, 'bomb.zip')
    await writeZip(path, { 'users.json': users, 'channels.json': channels, 'tea/2017-07-14.json': ' '.repeat(100_000) })
    const { readFile, writeFile } = await import('node:fs/promises')
    const bytes = await readFile(path)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(100_000)
    const lie = Buffer.alloc(4)
    lie.writeUInt32LE(10)
    for (let at = bytes.indexOf(size); at >= 0; at = bytes.indexOf(size, at + 1)) lie.copy(bytes, at)
    await writeFile(path, bytes)
    await using archive = await openSlack(path)
    const records: ArchiveRecord[] = []
    for await (const record of archive.records()) records.push(record)
    expect(of(records, 'skipped')).toMatchObject([{ what: 'days', location: 'tea/2017-07-14.json' }])
  })

  test('days of a folder that belongs to no room or to several', async () => {
    const { records } = await day([said(1)], {
      'groups.json': [{ id: 'G1', name: 'tea', members: ['U1'] }],
      'coffee/2017-07-14.json': [said(2)],
    })
    expect(of(records, 'message')).toEqual([])
    expect(of(records, 'skipped').map(({ what, location }) => [what, location])).toEqual([
      ['days', 'tea/2017-07-14.json'],
      ['days', 'coffee/2017-07-14.json'],
    ])
  })

  test('a message with the same time as another, people and rooms without an id, and entries that are not messages', async () => {
    const { records } = await read({
      ...{ 'users.json': [...users, { name: 'nobody' }], 'channels.json': [...channels, { name: 'nowhere' }] },
      'tea/2017-07-14.json': [said(1), said(1, { text: 'other' }), 7, null],
    })
    expect(of(records, 'message').map(({ text }) => text)).toEqual(['said 1'])
    const skipped = of(records, 'skipped').map(({ what, location }) => [what, location])
    expect(skipped).toEqual(
      expect.arrayContaining([
        ['people', 'users.json'],
        ['rooms', 'channels.json: '],
        ['messages', 'tea/2017-07-14.json#2'],
        ['messages', 'tea/2017-07-14.json#3'],
        ['messages', 'tea/2017-07-14.json#4'],
      ]),
    )
  })

  test('a day that is not JSON, while the other days are imported', async () => {
    const { records } = await day('[{"secret": "not to be', { 'tea/2017-07-15.json': [said(9)] })
    expect(of(records, 'skipped')).toEqual([
      { type: 'skipped', what: 'days', reason: 'the file is not JSON', location: 'tea/2017-07-14.json' },
    ])
    expect(of(records, 'message')).toHaveLength(1)
  })
})

describe('a file that is not an export is refused with a reason', () => {
  test.each([
    ['without users', { 'channels.json': channels }, 'no users.json'],
    ['without rooms', { 'users.json': users }, 'no channels'],
    [
      'with users that are not a list',
      { 'users.json': {}, 'channels.json': channels },
      'users.json is not a JSON list',
    ],
    [
      'with rooms that are not a list',
      { 'users.json': users, 'channels.json': {} },
      'channels.json is not a JSON list',
    ],
    ['with broken users', { 'users.json': '[{]', 'channels.json': channels }, 'users.json is not JSON'],
  ])('%s', async (_, files, message) => {
    await expect(read(files)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(message) })
  })

  test('a file that is not a zip archive, and a missing file', async () => {
    const path = join(folder, 'no.zip')
    writeFileSync(path, 'just text')
    await expect(openSlack(path)).rejects.toMatchObject({ message: expect.stringContaining('no.zip cannot be read') })
    const missing = join(folder, 'missing.zip')
    await expect(openSlack(missing)).rejects.toMatchObject({
      ...{ code: 'bad_archive', message: `there is no file ${missing}` },
    })
  })

  test('an archive that contains a path twice, or files that share their bytes', async () => {
    const path = join(folder, 'twice.zip')
    await writeZip(path, { 'users.json': users, 'aa/2017-07-14.json': [], 'bb/2017-07-14.json': [] })
    const { readFile, writeFile } = await import('node:fs/promises')
    const bytes = await readFile(path)
    await writeFile(path, Buffer.from(bytes.toString('latin1').replaceAll('bb/2017', 'aa/2017'), 'latin1'))
    await expect(openSlack(path)).rejects.toMatchObject({
      message: expect.stringContaining('aa/2017-07-14.json twice'),
    })
    const entry = Buffer.from('PK\u0001\u0002')
    for (let at = bytes.indexOf(entry); at >= 0; at = bytes.indexOf(entry, at + 1)) bytes.writeUInt32LE(5_000, at + 20)
    await writeFile(path, bytes)
    await expect(openSlack(path)).rejects.toMatchObject({ message: expect.stringContaining('overlap') })
  })

  test('an archive with a path that leads out of it', async () => {
    const path = join(folder, 'evil.zip')
    await writeZip(path, { 'users.json': users, 'aa/evil.json': [] })
    const { readFile, writeFile } = await import('node:fs/promises')
    const bytes = await readFile(path)
    await writeFile(path, Buffer.from(bytes.toString('latin1').replaceAll('aa/evil.json', '../evil.json'), 'latin1'))
    await expect(openSlack(path)).rejects.toMatchObject({ message: expect.stringContaining('malicious') })
  })
})
