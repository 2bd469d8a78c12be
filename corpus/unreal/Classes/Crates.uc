class Crates expands Decoration;
#exec mesh import mesh=walk anivfile=Models\crate_walk_a.3d datafile=Models\crate_d.3d
#exec mesh origin mesh=walk x=0 y=0 z=0
#exec mesh sequence mesh=walk	seq=All	startframe=0	numframes=4
#exec meshmap scale meshmap=walk x=.125 y=.125 z=.25
#exec mesh import mesh=run anivfile=models\CRATE_RUN_A.3D datafile=..\unreal\models\crate_D.3d
#exec mesh sequence mesh=run seq=All startframe=0 numframes=5
