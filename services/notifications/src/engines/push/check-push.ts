import { pushFields } from '@parley/config'
import { check } from '@parley/doctor'

/** Checks what browsers require of pushes beyond valid settings. */
export const pushCheck = check('push', pushFields(), ({ push }, report) => {
  if (push === undefined)
    report.warn('push', 'push is off', 'Generate keys with `parley vapid generate`; set them and PARLEY_PUSH_ENABLED.')
  else if (!/^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(push.publicUrl))
    report.warn(
      'push',
      'push is on, but browsers offer it only over https',
      'Set PARLEY_WEBSERVER_URL to an https address.',
    )
  else report.ok('push', `push is on, its keys belong together, and push services can write to ${push.subject}`)
  return Promise.resolve()
})
