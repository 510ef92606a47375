import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { plainExcerpt } from '../../domain/plain-excerpt.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { readExcerpts } from '../../store/excerpts.ts'

const maxMessages = 100

export function previewMessages(ctx: Context): MethodImpl<typeof MessagingInternalService.method.previewMessages> {
  return async ({ messages }) => {
    if (messages.length > maxMessages) throw tooManyAtOnce('messages', maxMessages)
    const found = await readExcerpts(ctx.pool, messages)
    return {
      messages: found.map(({ eventId, markdown, attachments }) => ({
        ...{ eventId, attachments, text: plainExcerpt(markdown) },
      })),
    }
  }
}
