import { pushFields } from '@parley/config'
import { check } from '@parley/doctor'

export const pushCheck = check('push', pushFields(), ({ push }, report) => {
  if (push === undefined)
    report.warn('push', 'push is off', 'Generate keys with `parley vapid generate`; set them and PARLEY_PUSH_ENABLED.')
  else if (!/^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(push.publicUrl))
    report.warn(
      'push',
      'push is on, but browsers allow it only for https sites',
      'Set PARLEY_WEBSERVER_URL to an https URL.',
    )
  else report.ok('push', `push is on, its keys match, and push services can contact ${push.subject}`)
  return Promise.resolve()
})
