// Opens connections to a port of this machine, sends one request on each, and keeps them open: `PORT COUNT`. A separate
// process, because both ends together would need twice as many file descriptors. Prints a line when all are open.

import net from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
const AT_ONCE = 100
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
const sockets = []

const open = () =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(REQUEST))
    sockets.push(socket)
    socket.once('data', resolve).on('error', reject)
  })

while (sockets.length < count) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, open))
}
console.log(`${sockets.length} connections are open`)
process.stdin.resume().on('end', () => process.exit(0)) // ends with the test
