import { Code, ConnectError } from '@parley/client'
import { text } from '../messages/texts.ts'

/** What a failed call is to people. Where the server's own words are meant for them, they are shown. */
export function failureText(thrown: unknown): string {
  const error = ConnectError.from(thrown)
  if (error.metadata.get('parley-needs') === 'fresh-credential') return text('failure.notFresh')
  switch (error.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return text('failure.offline')
    case Code.ResourceExhausted:
      return text('failure.tooMany', { seconds: Number(error.metadata.get('retry-after') ?? 0) })
    case Code.InvalidArgument:
    case Code.FailedPrecondition:
    case Code.PermissionDenied:
    case Code.NotFound:
    case Code.AlreadyExists:
      return sentence(error.rawMessage)
    default:
      return text('failure.unknown')
  }
}

/** The server writes its messages for programs: without a capital and without a full stop. */
function sentence(message: string): string {
  if (message === '') return text('failure.unknown')
  const begun = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
