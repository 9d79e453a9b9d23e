import { CLIENT_LIVENESS, describeProved, HONEST, HOSTILE } from './model-runs.ts'

// One run of each kind. `npm run test:long` makes the others.
describeProved([
  ['an honest client never loses its refresh token family', 'refresh-family', HONEST],
  ['each refresh token is used once, and reuse ends the family', 'refresh-family', HOSTILE],
  ['a follower knows every answered revocation after a poll', 'revocation-feed', []],
  ['a pending revocation is completed in the end', 'revocation-feed', CLIENT_LIVENESS],
  ['a commit that was made is finished in the end', 'commit', ['LIVENESS']],
  ['a removal is made although it cannot be listed, and finished', 'commit', ['LIVENESS', 'REMOVAL']],
  ['no process signs with an unknown, lost or revoked key', 'key-rotation', []],
])
