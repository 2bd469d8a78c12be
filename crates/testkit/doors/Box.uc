#exec mesh import mesh=box anivfile=crate_walk_a.3d datafile=crate_d.3d
#exec mesh origin mesh=box x=1 y=2 z=3 yaw=32
#exec meshmap scale meshmap=box x=-.5 y=.25 z=.125
