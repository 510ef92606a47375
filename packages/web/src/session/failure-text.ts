import { Code, ConnectError } from '@parley/client'
import { language, text } from '../messages/texts.ts'
import { brokenRules, refusals } from './refusals.ts'

/** What a failed call is to people, in the language that is spoken. */
export function failureText(thrown: unknown): string {
  const error = ConnectError.from(thrown)
  if (error.metadata.get('parley-needs') === 'fresh-credential') return text('failure.notFresh')
  const known =
    refusals.find(([beginning]) => error.rawMessage.startsWith(beginning)) ??
    brokenRules.find(([ending]) => ending.test(error.rawMessage))
  if (known) return text(known[1])
  switch (error.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return text('failure.offline')
    case Code.ResourceExhausted:
      return text('failure.tooMany', { seconds: Number(error.metadata.get('retry-after') ?? 0) })
    case Code.PermissionDenied:
      return text('refused.denied')
    case Code.NotFound:
      return text('refused.gone')
    case Code.AlreadyExists:
      return text('refused.exists')
    case Code.InvalidArgument:
    case Code.FailedPrecondition:
      // The server gives its reasons in English.
      return language() === 'en' ? text('refused.other', { reason: sentence(error.rawMessage) }) : text('refused.input')
    default:
      return text('failure.unknown')
  }
}

/** The server writes its messages for programs: without a capital and without a full stop. */
function sentence(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
