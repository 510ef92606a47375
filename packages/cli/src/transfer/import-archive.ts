import type { ArchivedRoom, ArchiveRecord } from './archive.ts'
import { FileImporter } from './file-importer.ts'
import type { TransferFleet } from './fleet.ts'
import { MessageImporter } from './message-importer.ts'
import { PeopleImporter } from './people-importer.ts'
import type { Report } from './report.ts'
import { RoomImporter, type OpenRoom } from './room-importer.ts'

export type ImportOptions = {
  source: string
  group: string
  /** Whether a person is matched with the account that has the same verified e-mail address. */
  matchEmails: boolean
  report: Report
  /** Called after each message with the name of its room and the number of messages so far. */
  progress: (at: { room: string; messages: number }) => void
}

/** Records that an earlier run imported are recognised. */
export async function importArchive(
  fleet: TransferFleet,
  records: AsyncIterable<ArchiveRecord>,
  options: ImportOptions,
): Promise<void> {
  const { source, group, matchEmails, report, progress } = options
  const people = new PeopleImporter(fleet, { source, matchEmails, report })
  const rooms = new RoomImporter(fleet, { source, group, report, people })
  const files = new FileImporter(fleet, { source, report })
  let next: { room: ArchivedRoom; members: string[] } | undefined
  let open: { room: OpenRoom; messages: MessageImporter } | undefined
  let seen = 0

  const openNext = async () => {
    if (!next) return
    await people.flush()
    const room = await rooms.open(next.room, next.members)
    open = room && { room, messages: new MessageImporter(fleet, { source, report, people, rooms, files }, room) }
    next = undefined
  }
  const finishRoom = async () => {
    await openNext()
    if (!open) return
    await open.messages.flush()
    await rooms.complete(open.room, open.messages.hasMessages)
    open = undefined
  }

  for await (const record of records) {
    switch (record.type) {
      case 'person':
        await people.add(record)
        break
      case 'group':
        await rooms.importGroup(record)
        break
      case 'room':
        await finishRoom()
        next = { room: record, members: [] }
        break
      case 'members':
        next?.members.push(...record.people)
        break
      case 'message':
        await openNext()
        await people.flush()
        if (open) await open.messages.add(record)
        else report.addSkipped('messages', 'their room was not imported', record.location)
        progress({ room: open?.room.name ?? '', messages: ++seen })
        break
      case 'skipped':
        report.addSkipped(record.what, record.reason, record.location)
        break
    }
  }
  await finishRoom()
  await people.flush()
}
