import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { plainBeginning } from '../../domain/plain-beginning.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { readBeginnings } from '../../store/beginnings.ts'

const mostMessages = 100

export function previewMessages(ctx: Context): MethodImpl<typeof MessagingInternalService.method.previewMessages> {
  return async ({ messages }) => {
    if (messages.length > mostMessages) throw tooManyAtOnce('messages', mostMessages)
    const found = await readBeginnings(ctx.pool, messages)
    return {
      messages: found.map(({ eventId, markdown, attachments }) => ({
        ...{ eventId, attachments, text: plainBeginning(markdown) },
      })),
    }
  }
}
