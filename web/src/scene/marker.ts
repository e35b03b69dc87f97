// The ring that marks the animal in the bird's eye view, with a tip that points to where it looks.
import { BufferGeometry, Float32BufferAttribute, Mesh, ShaderMaterial } from "three";
import type { Standpoint } from "./cameras";

/** Radii in metres: of the ring, and of its tip. */
const INNER = 0.95;
const OUTER = 1.12;
const TIP = 1.75;
const SIDES = 40;
/** Metres above the floor. The ring is drawn over everything: it has no depth test. */
const HEIGHT = 0.2;

export class Marker {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;

  constructor() {
    const positions: number[] = [];
    const at = (angle: number, radius: number) => [radius * Math.sin(angle), 0, -radius * Math.cos(angle)];
    for (let i = 0; i < SIDES; i++) {
      const [one, two] = [(i / SIDES) * 2 * Math.PI, ((i + 1) / SIDES) * 2 * Math.PI];
      positions.push(...at(one, INNER), ...at(two, INNER), ...at(two, OUTER));
      positions.push(...at(one, INNER), ...at(two, OUTER), ...at(one, OUTER));
    }
    positions.push(...at(-0.36, OUTER - 0.04), ...at(0.36, OUTER - 0.04), ...at(0, TIP));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
    const material = new ShaderMaterial({
      vertexShader: "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader: "void main() { gl_FragColor = vec4(1.0, 1.0, 1.0, 0.85); }",
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.renderOrder = 8;
    this.mesh.visible = false;
  }

  place(visible: boolean, eye: Standpoint): void {
    this.mesh.visible = visible;
    this.mesh.position.set(eye.x, HEIGHT, -eye.z);
    this.mesh.rotation.y = (-eye.heading * Math.PI) / 180;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
