// Draws models from the front in parallel projection, for browser.mjs.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { loadVertexAnimation } from "/program.mjs";

const SIZE = 256;
const CELLS = 96;
// The light of meshlens.
const [LIGHT, AMBIENT] = [[0.4, 0.8, 0.45], 0.35];

// The outline, scaled to its own box, and the mean color of a canvas or an image.
function summary(source) {
  const flat = new OffscreenCanvas(SIZE, SIZE).getContext("2d", { willReadFrequently: true });
  flat.drawImage(source, 0, 0, SIZE, SIZE);
  const { data } = flat.getImageData(0, 0, SIZE, SIZE);
  let [left, top, right, bottom, sum, count] = [SIZE, SIZE, 0, 0, [0, 0, 0], 0];
  for (let at = 0; at < SIZE * SIZE; at += 1) {
    if (data[4 * at + 3] < 128) continue;
    const [x, y] = [at % SIZE, Math.floor(at / SIZE)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    sum = sum.map((total, channel) => total + data[4 * at + channel]);
    count += 1;
  }
  const mask = [];
  // The larger side of the box fills the cells, so that proportions count.
  const side = Math.max(right - left, bottom - top) + 1;
  const [x0, y0] = [(left + right + 1 - side) / 2, (top + bottom + 1 - side) / 2];
  for (let cell = 0; cell < CELLS * CELLS; cell += 1) {
    const x = Math.floor(x0 + (((cell % CELLS) + 0.5) * side) / CELLS);
    const y = Math.floor(y0 + ((Math.floor(cell / CELLS) + 0.5) * side) / CELLS);
    mask.push(x >= 0 && y >= 0 && x < SIZE && y < SIZE && data[4 * (y * SIZE + x) + 3] >= 128);
  }
  const tint = sum.map((total) => total / Math.max(count, 1));
  const middle = [(left + right + 1) / SIZE - 1, 1 - (top + bottom + 1) / SIZE];
  return { mask, tint, middle, side: side / SIZE, png: source.toDataURL?.("image/png") };
}

window.picture = async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  return summary(image);
};

const canvas = document.querySelector("#three");
const renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: false, preserveDrawingBuffer: true });
const loaded = new Map();

async function once(url, load) {
  if (!loaded.has(url)) loaded.set(url, await load());
  return loaded.get(url);
}

// Draws an object whose vertices are anywhere within `reach` of the origin.
function draw(object, reach) {
  const scene = new THREE.Scene();
  const light = new THREE.DirectionalLight(0xffffff, Math.PI * (1 - AMBIENT));
  light.position.set(...LIGHT);
  scene.add(object, light, new THREE.AmbientLight(0xffffff, Math.PI * AMBIENT));
  const camera = new THREE.OrthographicCamera(-reach, reach, reach, -reach, 0, 4 * reach);
  camera.position.set(0, 0, 2 * reach);
  renderer.setClearColor(0, 0);
  renderer.render(scene, camera);
  const { half, x, y } = closer(summary(canvas), reach);
  [camera.left, camera.right, camera.bottom, camera.top] = [x - half, x + half, y - half, y + half];
  camera.updateProjectionMatrix();
  renderer.render(scene, camera);
  return summary(canvas);
}

// The part of a view that what is drawn fills.
function closer({ middle, side }, reach) {
  return { half: 0.55 * 2 * reach * side, x: middle[0] * reach, y: middle[1] * reach };
}

// Half the size of what is drawn, measured once in a large view, so that small models fill the picture.
function reach(object) {
  const box = new THREE.Box3().setFromObject(object, false);
  const corner = new THREE.Vector3().copy(box.max).max(box.min.clone().negate());
  return 1.2 * Math.max(corner.x, corner.y, corner.z, 1e-3);
}

window.textures = async (name, frame) => {
  const animation = await once(`vat ${name}`, () => loadVertexAnimation(name));
  animation.showFrame(frame);
  return draw(animation.object, 1.5 * reach(animation.object));
};

window.three = async (url, clip, seconds) => {
  const gltf = await once(`three ${url}`, () => new GLTFLoader().loadAsync(url));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const found = gltf.animations.find(({ name }) => name === clip) ?? gltf.animations[0];
  if (found) {
    const action = mixer.clipAction(found).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(seconds);
  }
  const size = 1.5 * (gltf.reach ??= reach(gltf.scene));
  const drawn = draw(gltf.scene, size);
  mixer.stopAllAction();
  return drawn;
};

const second = document.querySelector("#babylon");
const engine = new BABYLON.Engine(second, false, { preserveDrawingBuffer: true, alpha: true, premultipliedAlpha: true });

window.babylon = async (url, clip, seconds) => {
  const shown = await once(`babylon ${url}`, async () => {
    const scene = new BABYLON.Scene(engine);
    scene.useRightHandedSystem = true;
    scene.clearColor = new BABYLON.Color4(0, 0, 0, 0);
    const light = new BABYLON.DirectionalLight("light", new BABYLON.Vector3(...LIGHT.map((axis) => -axis)), scene);
    light.intensity = Math.PI * (1 - AMBIENT);
    const ambient = new BABYLON.HemisphericLight("ambient", new BABYLON.Vector3(0, 1, 0), scene);
    ambient.groundColor = new BABYLON.Color3(1, 1, 1);
    ambient.intensity = AMBIENT;
    const camera = new BABYLON.FreeCamera("camera", new BABYLON.Vector3(0, 0, 1), scene);
    camera.mode = BABYLON.Camera.ORTHOGRAPHIC_CAMERA;
    await BABYLON.SceneLoader.AppendAsync("", url, scene, undefined, ".glb");
    scene.animationGroups.forEach((group) => group.stop());
    for (const mesh of scene.meshes) mesh.alwaysSelectAsActiveMesh = true;
    await scene.whenReadyAsync();
    const size = 1.5 * loaded.get(`three ${url}`).reach;
    scene.reach = size;
    camera.position.set(0, 0, 2 * size);
    camera.setTarget(BABYLON.Vector3.Zero());
    [camera.minZ, camera.maxZ] = [0, 4 * size];
    return scene;
  });
  const groups = shown.animationGroups;
  const group = groups.find(({ name }) => name === clip) ?? groups[0];
  if (group) {
    group.start(false);
    group.pause();
    group.goToFrame(seconds * group.targetedAnimations[0].animation.framePerSecond);
  }
  const view = (half, x, y) => {
    const camera = shown.activeCamera;
    // The camera looks against Z, so that its right is the right of the picture.
    [camera.orthoLeft, camera.orthoRight, camera.orthoBottom, camera.orthoTop] = [x - half, x + half, y - half, y + half];
    shown.render();
    shown.render();
    return summary(second);
  };
  const { half, x, y } = closer(view(shown.reach, 0, 0), shown.reach);
  const drawn = view(half, x, y);
  group?.stop();
  return drawn;
};

window.ready = true;
