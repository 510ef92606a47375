import { Code, ConnectError } from '@parley/client'
import { language, text } from '../messages/texts.ts'
import { refusalOf } from './refusals.ts'

export function failureText(thrown: unknown): string {
  const error = ConnectError.from(thrown)
  if (error.metadata.get('parley-needs') === 'fresh-credential') return text('failure.notFresh')
  const wait = waitOf(error)
  const known = refusalOf(error.rawMessage)
  if (known) return `${text(known)}${wait}`
  switch (error.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return text('failure.offline')
    case Code.ResourceExhausted:
      return `${text('limit.other')}${wait}`
    case Code.PermissionDenied:
      return text('refused.denied')
    case Code.NotFound:
      return text('refused.gone')
    case Code.AlreadyExists:
      return text('refused.exists')
    case Code.InvalidArgument:
    case Code.FailedPrecondition:
      // The server's messages are in English.
      return language() === 'en' ? text('refused.other', { reason: sentence(error.rawMessage) }) : text('refused.input')
    default:
      return text('failure.unknown')
  }
}

/** Empty if the server names no time to wait. */
function waitOf({ metadata }: ConnectError): string {
  const seconds = Number(metadata.get('retry-after') ?? 0)
  if (!(seconds > 0)) return ''
  if (seconds < 120) return ` ${text('limit.seconds', { seconds })}`
  return ` ${text('limit.minutes', { minutes: Math.ceil(seconds / 60) })}`
}

/** Adds the capital letter and the full stop that the server's messages lack. */
function sentence(message: string): string {
  const capitalised = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(capitalised) ? capitalised : `${capitalised}.`
}
