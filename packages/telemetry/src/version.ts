import release from '../../../package.json' with { type: 'json' }

/** The version of the release, which clients and collectors see, the same in every deployable. */
export const serverVersion = release.version
