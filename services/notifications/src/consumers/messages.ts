import type { Event } from '@parley/contracts/internal'
import type { EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { readOn } from '../dismiss/read-on.ts'
import { manyToTell } from '../domain/many.ts'
import { postingOf, type Message } from '../domain/message.ts'
import { shardsOf } from '../domain/shards.ts'
import { listAllMessages } from '../store/all-messages.ts'
import { insertJob } from '../store/jobs.ts'
import { holdShards } from '../store/shards.ts'
import { findRecipients } from '../tell/find-recipients.ts'
import { tell } from '../tell/tell.ts'

/** Tells those whom a message is for; its author has read up to it. */
export const onMessage =
  (ctx: Context): EventPreparation =>
  async (event: Event) => {
    const posting = postingOf(event)
    if (!posting) return undefined
    const { message } = posting
    const listing = (roomId: string, limit: number) => listAllMessages(ctx.db, roomId, limit)
    const { recipients, many, roomName } = await findRecipients({ ...ctx, listAllMessages: listing }, posting)
    const posted = event.fact.case === 'messagePosted'
    return async (tx) => {
      const at = ctx.now()
      const people = recipients.map(({ userId }) => userId)
      await holdShards(tx, shardsOf(posted ? [...people, message.actorId] : people))
      const entries = await tell(tx, { message, roomName, recipients }, at)
      if (posted) entries.push(...(await readOn(tx, placeOfAuthor(message), at)))
      if (many.length > 0) await insertJob(tx, manyToTell(message, many), at)
      return () => ctx.relay.wake(entries)
    }
  }

const placeOfAuthor = ({ actorId: userId, roomId, roomSeq, threadRootEventId }: Message) => ({
  ...{ userId, roomId, roomSeq, threadRootEventId },
})
