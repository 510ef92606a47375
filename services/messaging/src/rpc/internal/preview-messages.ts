import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { plainBeginning } from '../../domain/plain-beginning.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { readBeginnings } from '../../store/beginnings.ts'

const maxMessages = 100

export function previewMessages(ctx: Context): MethodImpl<typeof MessagingInternalService.method.previewMessages> {
  return async ({ messages }) => {
    if (messages.length > maxMessages) throw tooManyAtOnce('messages', maxMessages)
    const found = await readBeginnings(ctx.pool, messages)
    return {
      messages: found.map(({ eventId, markdown, attachments }) => ({
        ...{ eventId, attachments, text: plainBeginning(markdown) },
      })),
    }
  }
}
