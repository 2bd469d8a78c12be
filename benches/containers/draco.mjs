// Compresses GLB by draco, as gltf-transform does: node draco.mjs IN.glb OUT.glb [IN.glb OUT.glb]...
// The sequential method keeps the order of the vertices, which morph targets need; they are not compressed.
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.NODE_PATH}/`);
const { NodeIO } = require('@gltf-transform/core');
const { KHRDracoMeshCompression } = require('@gltf-transform/extensions');
const draco3d = require('draco3dgltf');

const io = new NodeIO().registerExtensions([KHRDracoMeshCompression]).registerDependencies({
  'draco3d.encoder': await draco3d.createEncoderModule(),
});
for (let at = 2; at < process.argv.length; at += 2) {
  const document = await io.read(process.argv[at]);
  document.createExtension(KHRDracoMeshCompression).setRequired(true).setEncoderOptions({
    method: KHRDracoMeshCompression.EncoderMethod.SEQUENTIAL,
    quantizationBits: { POSITION: 16, NORMAL: 12, TEX_COORD: 16 },
  });
  await io.write(process.argv[at + 1], document);
}
